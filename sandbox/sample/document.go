package sample

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
)

// pdf returns a document of one page with these lines (ISO 32000-1). What is not in Latin-1 becomes a question mark.
func pdf(lines []string) []byte {
	var page bytes.Buffer
	page.WriteString("BT /F1 11 Tf 14 TL 56 786 Td\n")
	for _, line := range lines {
		fmt.Fprintf(&page, "(%s) Tj T*\n", pdfString(line))
	}
	page.WriteString("ET\n")
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", page.Len(), page.String()),
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	var offsets []int
	for i, object := range objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

func pdfString(line string) string {
	var b strings.Builder
	for _, r := range line {
		switch {
		case r == '(' || r == ')' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x80 || r >= 0xa0 && r <= 0xff:
			b.WriteByte(byte(r))
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

// picture draws a PNG: a first line "size width height colour", and a rectangle "x y width height colour" in each
// other one.
func picture(text string) []byte {
	var canvas *image.NRGBA
	for line := range strings.Lines(text) {
		var x, y, width, height int
		var shade uint32
		if _, err := fmt.Sscanf(line, "size %d %d %x", &width, &height, &shade); err == nil {
			canvas = image.NewNRGBA(image.Rect(0, 0, width, height))
		} else {
			must(fmt.Sscanf(line, "%d %d %d %d %x", &x, &y, &width, &height, &shade))
		}
		fill := color.NRGBA{R: uint8(shade >> 16), G: uint8(shade >> 8), B: uint8(shade), A: 0xff}
		draw.Draw(canvas, image.Rect(x, y, x+width, y+height), image.NewUniform(fill), image.Point{}, draw.Src)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, canvas); err != nil {
		panic(fmt.Errorf("encode sample picture: %w", err))
	}
	return b.Bytes()
}
