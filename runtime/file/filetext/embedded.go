package filetext

import (
	"bytes"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
)

// ReadEmbedded returns the text of a file in a document: RTF, HTML, a web archive (MHTML) or plain text. It is false
// for other files.
func ReadEmbedded(data []byte) (string, bool) {
	if bytes.HasPrefix(data, []byte(rtfHeader)) {
		return readRTF(data), true
	}
	if fields, body, isMail := splitHeader(data, false); isMail && fields.get(contentType) != "" {
		return firstText(fields, body, 0)
	}
	kind := blob.Plain
	if bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(data, []byte(bom))), []byte("<")) || KindOf(data) == blob.HTML {
		kind = blob.HTML
	}
	text, isText := Read(data, kind, "")
	return string(text.Bytes), isText
}

// firstText returns the text of the first part that has one.
func firstText(fields header, body []byte, depth int) (string, bool) {
	name, parameters := blob.SplitMediaType(fields.get(contentType))
	if strings.HasPrefix(name, "multipart/") && depth < maxNesting {
		parts, _ := splitParts(body, parameters["boundary"])
		for _, part := range parts {
			fields, body, _ := splitHeader(part, true)
			if text, isText := firstText(fields, body, depth+1); isText {
				return text, true
			}
		}
		return "", false
	}
	kind := blob.KindOf(name)
	if kind != blob.HTML && kind != blob.Plain {
		return "", false
	}
	content, _ := decodedBody(body, fields.get(transferEncoding))
	text, isText := Read(content, kind, parameters["charset"])
	return string(text.Bytes), isText
}
