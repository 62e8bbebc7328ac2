package pdf

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// Limits of the image of a page (R-DOC-3).
const (
	maxSide  = 1600    // pixels
	maxImage = 1 << 20 // bytes
)

// Image returns a page as a PNG or JPEG image, whichever is smaller. The first page has the number 1.
func (r *Reader) Image(data []byte, number int) ([]byte, error) {
	opened, _, err := r.open(data)
	if err != nil {
		return nil, err
	}
	rendered, err := r.pdfium.RenderPageInPixels(&requests.RenderPageInPixels{
		Page: page(opened, number), Width: maxSide, Height: maxSide, RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT,
	})
	if err != nil {
		return nil, damaged
	}
	defer rendered.Cleanup()
	return encode(rendered.Result.RenderedImage)
}

// qualities are tried in this order until the JPEG is small enough.
var qualities = []int{85, 60, 35, 10}

func encode(page image.Image) ([]byte, error) {
	var lossless bytes.Buffer
	if err := png.Encode(&lossless, page); err != nil {
		return nil, err
	}
	for _, quality := range qualities {
		var lossy bytes.Buffer
		if err := jpeg.Encode(&lossy, page, &jpeg.Options{Quality: quality}); err != nil {
			return nil, err
		}
		switch {
		case lossless.Len() <= min(lossy.Len(), maxImage):
			return lossless.Bytes(), nil
		case lossy.Len() <= maxImage:
			return lossy.Bytes(), nil
		}
	}
	return nil, &document.Error{Reason: document.TooLarge, Detail: "the image of the page has more than 1 MiB"}
}
