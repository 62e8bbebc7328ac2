package blob

import (
	"mime"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// Kind is the kind of a file, by which it is shown.
type Kind int

// The kinds.
const (
	Unknown   Kind = iota // the bytes decide
	Plain                 // text
	HTML                  // text in markup
	Mail                  // a message with parts (RFC 5322)
	Document              // a PDF, Office or EPUB file
	Image                 // a picture that hosts can show
	Recording             // sound or film
	Other                 // any other kind
)

// IsText reports whether a file of the kind is text, which is shown in windows.
func (k Kind) IsText() bool { return k == Plain || k == HTML || k == Mail }

// kinds are the kinds of media types whose prefix or suffix does not tell it.
var kinds = map[string]Kind{
	"": Unknown, "application/octet-stream": Unknown, "application/x-unknown": Unknown, "binary/octet-stream": Unknown,
	"text/html": HTML, "application/xhtml+xml": HTML, "message/rfc822": Mail, "message/global": Mail, "text/rtf": Other,
	"image/png": Image, "image/jpeg": Image, "image/jpg": Image, "image/gif": Image,
	"application/json": Plain, "application/jsonl": Plain, "application/json-seq": Plain, "application/x-ndjson": Plain, "application/ndjson": Plain,
	"application/xml": Plain, "application/csv": Plain, "application/ics": Plain, "application/yaml": Plain, "application/x-yaml": Plain,
	"application/toml": Plain, "application/sql": Plain, "application/javascript": Plain, "application/x-sh": Plain, "application/mbox": Plain,
	"application/pgp-signature": Plain, "application/pgp-keys": Plain, "application/x-subrip": Plain,
	"message/delivery-status": Plain, "message/disposition-notification": Plain,
}

// KindOf returns the kind of a declared media type.
func KindOf(mediaType string) Kind {
	name, _ := SplitMediaType(mediaType)
	main, _, _ := strings.Cut(name, "/")
	kind, isListed := kinds[name]
	switch {
	case isListed:
		return kind
	case document.Declared(name, "") != "":
		return Document
	case main == "audio", main == "video":
		return Recording
	case main == "text", strings.HasSuffix(name, "+json"), strings.HasSuffix(name, "+xml"), strings.HasSuffix(name, "+yaml"):
		return Plain
	}
	return Other
}

// SplitMediaType returns the type and the names of its parameters in lower case. An invalid parameter does not hide the type.
func SplitMediaType(mediaType string) (name string, parameters map[string]string) {
	name, parameters, err := mime.ParseMediaType(mediaType)
	if err != nil {
		name, _, _ = strings.Cut(mediaType, ";")
		name = strings.ToLower(strings.TrimSpace(name))
	}
	return name, parameters
}
