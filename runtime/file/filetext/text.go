// Package filetext makes text of files: it decodes charsets, converts HTML to readable text, and divides mails into
// their parts. It limits what a hostile file costs.
package filetext

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
)

// Text is the text of a file in UTF-8.
type Text struct {
	Bytes    []byte
	Charset  string // of the bytes, by its WHATWG name
	Detected bool   // the charset was not declared
	Repaired bool   // some bytes are invalid in the charset and became U+FFFD
}

const (
	utf8Name = "utf-8"
	bom      = "\ufeff"
)

// decode finds the charset by a byte order mark, the declaration, or an XML or HTML declaration in the text. Otherwise
// it is UTF-8 if the bytes are valid, and windows-1252 if not, as in browsers.
func decode(data []byte, declared string, isHTML bool) Text {
	name, detected := charsetOf(data, declared, isHTML)
	if name == utf8Name {
		text := Text{Bytes: bytes.TrimPrefix(data, []byte(bom)), Charset: name, Detected: detected}
		if !utf8.Valid(text.Bytes) {
			text.Bytes, text.Repaired = bytes.ToValidUTF8(text.Bytes, []byte(string(utf8.RuneError))), true
		}
		return text
	}
	var decoded []byte
	if decoder := decoders[name]; decoder != nil {
		decoded = decoder(data)
	} else {
		decoded, _ = encodingOf(name).NewDecoder().Bytes(data) // these decoders replace invalid bytes with U+FFFD
	}
	decoded = bytes.TrimPrefix(decoded, []byte(bom))
	return Text{Bytes: decoded, Charset: name, Detected: detected, Repaired: bytes.ContainsRune(decoded, utf8.RuneError)}
}

// charsetOf returns the name of the charset, and reports whether it was detected and not declared. Bytes that are valid
// UTF-8 are almost never meant in a charset of single bytes, whatever is declared.
func charsetOf(data []byte, declared string, isHTML bool) (name string, detected bool) {
	name, detected = declaredCharset(data, declared, isHTML)
	_, isSingleByte := encodingOf(name).(*charmap.Charmap)
	switch isASCII, isUTF8 := isASCII(data), utf8.Valid(data); {
	case isASCII && isISO2022JP(data) && !strings.HasPrefix(name, "iso-2022"):
		return "iso-2022-jp", true
	case isASCII && bytes.Contains(data, []byte(koreanEscape)) && !strings.HasPrefix(name, "iso-2022"):
		return "iso-2022-kr", true
	case !isASCII && isUTF8 && isSingleByte:
		return utf8Name, true
	}
	return name, detected
}

func isASCII(data []byte) bool {
	return bytes.IndexFunc(data, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// isISO2022JP reports whether data switches to a Japanese character set and back.
func isISO2022JP(data []byte) bool {
	return (bytes.Contains(data, []byte("\x1b$B")) || bytes.Contains(data, []byte("\x1b$@"))) &&
		(bytes.Contains(data, []byte("\x1b(B")) || bytes.Contains(data, []byte("\x1b(J")))
}

func declaredCharset(data []byte, declared string, isHTML bool) (name string, detected bool) {
	// by a byte order mark, or what a page declares
	found, inPage, isMarked := charset.DetermineEncoding(data, "text/html")
	if isMarked {
		return inPage, false
	}
	isUTF8 := bytes.IndexByte(data, 0) < 0 && utf8.Valid(data)
	if name := lookUp(declared); name != "" && !(isUTF16(name) && isUTF8) { // valid UTF-8 without NUL is not UTF-16
		return name, false
	}
	if xml := xmlDeclaration.FindSubmatch(data[:min(len(data), 256)]); xml != nil {
		if name := lookUp(string(xml[1])); name != "" && !isUTF16(name) { // a text in UTF-16 would not match the expression
			return name, false
		}
	}
	// If DetermineEncoding guesses, it returns one of these two.
	if isHTML && found != charmap.Windows1252 && found != encoding.Nop {
		return inPage, false
	}
	if utf8.Valid(data) {
		return utf8Name, true
	}
	return "windows-1252", true
}

func isUTF16(name string) bool { return name == "utf-16be" || name == "utf-16le" }

var xmlDeclaration = regexp.MustCompile(`^\s*<\?xml[^>]*\bencoding\s*=\s*["']([A-Za-z0-9._:-]+)["']`)

// isText reports whether decoded bytes are text and not binary: they have no NUL, and few other control characters at
// the beginning.
func isText(text []byte) bool {
	if bytes.HasPrefix(text, []byte("%PDF-")) || bytes.IndexByte(text, 0) >= 0 {
		return false
	}
	beginning := text[:min(len(text), 64<<10)]
	odd := 0
	for _, b := range beginning {
		if b < ' ' && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != 0x1b || b == 0x7f {
			odd++
		}
	}
	return odd <= len(beginning)/100
}

// Read returns the text of a file, or false for bytes that are not text. Declared is the charset of its media type; it
// may be empty.
func Read(data []byte, kind blob.Kind, declared string) (Text, bool) {
	if kind == blob.Mail {
		return readMail(data)
	}
	text := decode(data, declared, kind == blob.HTML)
	if !isText(text.Bytes) {
		return Text{}, false
	}
	if kind == blob.HTML {
		text.Bytes = Readable(text.Bytes)
	}
	return text, true
}

// KindOf returns the kind of an undeclared file by its bytes: HTML, Plain or Other.
func KindOf(data []byte) blob.Kind {
	text := decode(data, "", false)
	beginning := bytes.ToLower(bytes.TrimSpace(text.Bytes[:min(len(text.Bytes), 512)]))
	switch {
	case !isText(text.Bytes):
		return blob.Other
	case bytes.HasPrefix(beginning, []byte("<!doctype html")), bytes.HasPrefix(beginning, []byte("<html")):
		return blob.HTML
	}
	return blob.Plain
}
