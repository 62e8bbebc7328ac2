package blob

import (
	"bytes"
	"image"
	_ "image/gif"  // pictures that models can be shown
	_ "image/jpeg" // likewise
	_ "image/png"  // likewise
	"math"
)

// mostPixels bounds a picture: a small file can unfold to any number of them in a viewer.
const mostPixels = 64 << 20

// Picture is what a picture's bytes say of it.
type Picture struct {
	MediaType     string
	Width, Height int // pixels
}

// ReadPicture reads the head of a PNG, a JPEG or a GIF. It is false for any other file, and for a picture that is too large to
// be shown. Whether the rest can be shown is not looked at.
func ReadPicture(data []byte) (Picture, bool) {
	head, format, err := image.DecodeConfig(bytes.NewReader(data))
	isSmall := err == nil && head.Width > 0 && head.Height > 0 && head.Width <= math.MaxInt32 && head.Height <= mostPixels/head.Width
	return Picture{MediaType: "image/" + format, Width: head.Width, Height: head.Height}, isSmall
}
