package blob

import (
	"bytes"
	"image"
	_ "image/gif"  // a format that hosts show
	_ "image/jpeg" // the same
	_ "image/png"  // the same
	"math"
	"mime"
	"regexp"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// Kind is the kind of a file. It decides how the file is shown.
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

// kinds has the media types whose kind does not follow from their prefix or suffix.
var kinds = map[string]Kind{
	"": Unknown, "application/octet-stream": Unknown, "application/x-unknown": Unknown, "binary/octet-stream": Unknown,
	"text/html": HTML, "application/xhtml+xml": HTML, "message/rfc822": Mail, "message/global": Mail, "text/rtf": Other,
	"image/png": Image, "image/jpeg": Image, "image/jpg": Image, "image/gif": Image,
	"application/json": Plain, "application/jsonl": Plain, "application/json-seq": Plain, "application/ndjson": Plain,
	"application/x-ndjson": Plain, "application/xml": Plain, "application/csv": Plain, "application/ics": Plain,
	"application/yaml": Plain, "application/x-yaml": Plain, "application/toml": Plain, "application/sql": Plain,
	"application/javascript": Plain, "application/x-sh": Plain, "application/mbox": Plain, "application/x-subrip": Plain,
	"application/pgp-signature": Plain, "application/pgp-keys": Plain,
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
	case main == "text", strings.HasSuffix(name, "+json"), strings.HasSuffix(name, "+xml"),
		strings.HasSuffix(name, "+yaml"):
		return Plain
	}
	return Other
}

// SplitMediaType returns the type and the names of its parameters in lower case. An invalid parameter does not hide the
// type.
func SplitMediaType(mediaType string) (name string, parameters map[string]string) {
	name, parameters, err := mime.ParseMediaType(mediaType)
	if err != nil {
		name, _, _ = strings.Cut(mediaType, ";")
		name, parameters = strings.ToLower(strings.TrimSpace(name)), map[string]string{}
		for _, found := range parameter.FindAllStringSubmatch(mediaType, -1) {
			if key := strings.ToLower(found[1]); parameters[key] == "" {
				parameters[key] = found[2] + strings.TrimSpace(found[3])
			}
		}
	}
	return name, parameters
}

// parameter is a parameter of a media type, with a value that can be invalid.
var parameter = regexp.MustCompile(`;\s*([\w-]+)\s*=\s*(?:"([^"]*)"|([^;"]*))`)

// maxPixels bounds a picture, because a small file can decompress to any number of pixels.
const maxPixels = 64 << 20

// Picture describes a picture by its bytes.
type Picture struct {
	MediaType     string
	Width, Height int // pixels
}

// About returns the size as members of a field.
func (p Picture) About() rawjson.Object {
	return rawjson.Object{rawjson.Int("width", int64(p.Width)), rawjson.Int("height", int64(p.Height))}
}

// ReadPicture reads the header of a PNG, JPEG or GIF file. It is false for other files and for a picture with too many
// pixels.
func ReadPicture(data []byte) (Picture, bool) {
	head, format, err := image.DecodeConfig(bytes.NewReader(data))
	isSmall := err == nil && head.Width > 0 && head.Height > 0 && head.Width <= math.MaxInt32 &&
		head.Height <= maxPixels/head.Width
	return Picture{MediaType: "image/" + format, Width: head.Width, Height: head.Height}, isSmall
}
