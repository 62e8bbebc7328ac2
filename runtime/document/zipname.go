package document

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// header is a header of a zip entry: where the length of the entry's name is in it, and where the name begins.
type header struct {
	signature    string
	length, name int
}

var (
	localHeader   = header{"PK\x03\x04", 26, 30}
	centralHeader = header{"PK\x01\x02", 28, 46}
)

// mediaTypes are contents of the entry mimetype, which OpenDocument and EPUB files begin with, uncompressed.
var mediaTypes = []prefix{
	{"application/vnd.oasis.opendocument.text", ODT},
	{"application/vnd.oasis.opendocument.spreadsheet", ODS},
	{"application/vnd.oasis.opendocument.presentation", ODP},
	{"application/epub+zip", EPUB},
}

// mainParts begin the name of an entry that only one format has.
var mainParts = []prefix{
	{"word/document", DOCX},
	{"xl/workbook.xml", XLSX},
	{"ppt/presentation", PPTX},
	{"META-INF/container.xml", EPUB}, // OpenDocument has no such entry
}

type prefix struct {
	text   string
	format Format
}

func formatOf(text string, prefixes []prefix) Format {
	for _, p := range prefixes {
		if strings.HasPrefix(text, p.text) {
			return p.format
		}
	}
	return ""
}

// sniffZip finds the format by the entry mimetype, otherwise by the names in the directory or, in a file that was cut short, in the
// headers.
func sniffZip(data []byte) Format {
	if name, content := localHeader.entry(data, 0); name == "mimetype" {
		if format := formatOf(content, mediaTypes); format != "" {
			return format
		}
	}
	for _, header := range []header{centralHeader, localHeader} {
		for at := len(data); at >= 0; at = bytes.LastIndex(data[:at], []byte(header.signature)) {
			name, _ := header.entry(data, at)
			if format := formatOf(name, mainParts); format != "" {
				return format
			}
		}
	}
	return ""
}

// entry returns the name of the entry at a place, and the beginning of its content if no extra field is between.
func (h header) entry(data []byte, at int) (name, content string) {
	if at+h.name > len(data) {
		return "", ""
	}
	rest := data[at+h.name:]
	length := min(int(binary.LittleEndian.Uint16(data[at+h.length:])), len(rest))
	return string(rest[:length]), string(rest[length:min(length+64, len(rest))])
}
