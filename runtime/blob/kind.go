package blob

import (
	"mime"
	"strings"
)

// Kind is what can be shown of a file.
type Kind int

// The kinds.
const (
	Unknown Kind = iota // nothing says what it is: its bytes have to
	Plain               // text as it is
	HTML                // text in its markup
	Mail                // text in its parts (RFC 5322)
	Image               // a picture that hosts can show
	Other               // none of them
)

// IsText reports whether a file of the kind is read in windows.
func (k Kind) IsText() bool { return k == Plain || k == HTML || k == Mail }

// kinds are those of media types that their names do not tell.
var kinds = map[string]Kind{
	"":                                 Unknown,
	"application/octet-stream":         Unknown,
	"application/x-unknown":            Unknown,
	"binary/octet-stream":              Unknown,
	"text/html":                        HTML,
	"application/xhtml+xml":            HTML,
	"message/rfc822":                   Mail,
	"message/global":                   Mail,
	"text/rtf":                         Other,
	"image/png":                        Image,
	"image/jpeg":                       Image,
	"image/jpg":                        Image,
	"image/gif":                        Image,
	"application/json":                 Plain,
	"application/jsonl":                Plain,
	"application/json-seq":             Plain,
	"application/x-ndjson":             Plain,
	"application/ndjson":               Plain,
	"application/xml":                  Plain,
	"application/csv":                  Plain,
	"application/ics":                  Plain,
	"application/yaml":                 Plain,
	"application/x-yaml":               Plain,
	"application/toml":                 Plain,
	"application/sql":                  Plain,
	"application/javascript":           Plain,
	"application/x-sh":                 Plain,
	"application/mbox":                 Plain,
	"application/pgp-signature":        Plain,
	"application/pgp-keys":             Plain,
	"application/x-subrip":             Plain,
	"message/delivery-status":          Plain,
	"message/disposition-notification": Plain,
}

// KindOf is the kind of a media type as it was declared.
func KindOf(mediaType string) Kind {
	name, _ := SplitMediaType(mediaType)
	if kind, known := kinds[name]; known {
		return kind
	}
	if strings.HasPrefix(name, "text/") || strings.HasSuffix(name, "+json") || strings.HasSuffix(name, "+xml") || strings.HasSuffix(name, "+yaml") {
		return Plain
	}
	return Other
}

// SplitMediaType gives the type in small letters, and its parameters by their names in small letters.
func SplitMediaType(mediaType string) (name string, parameters map[string]string) {
	name, parameters, err := mime.ParseMediaType(mediaType)
	if err != nil { // such as a parameter twice: the type itself still counts
		name, _, _ = strings.Cut(mediaType, ";")
		name = strings.ToLower(strings.TrimSpace(name))
	}
	return name, parameters
}
