package blob

import (
	"bytes"
	"image"
	_ "image/gif"  // a format that hosts show
	_ "image/jpeg" // the same
	_ "image/png"  // the same
	"math"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// maxPixels bounds a picture, because a small file can unfold to any number of pixels where it is shown.
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

// ReadPicture reads the header of a PNG, JPEG or GIF file. It is false for other files and for a picture with too many pixels.
func ReadPicture(data []byte) (Picture, bool) {
	head, format, err := image.DecodeConfig(bytes.NewReader(data))
	isSmall := err == nil && head.Width > 0 && head.Height > 0 && head.Width <= math.MaxInt32 && head.Height <= maxPixels/head.Width
	return Picture{MediaType: "image/" + format, Width: head.Width, Height: head.Height}, isSmall
}
