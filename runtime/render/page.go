package render

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// cursorReserve is the number of characters kept free in an incomplete page for the cursor of the smaller page that is read instead.
const cursorReserve = 1_200

const roomForLines = 1 << 10 // bytes: the lines around the rows of most pages are shorter

// page holds rows in both channels. Both show the same leading rows: as many as fit both (R-BUD-3, R-BUD-5).
type page struct {
	total      int      // rows that were read
	ends       []rowEnd // of the leading rows, up to the first that cannot fit
	text       *[]byte  // the rows, each with a line break after it; borrowed
	structured *[]byte  // the rows, each with a comma after it; borrowed
}

// rowEnd is the end of a row in either channel, in bytes and in characters.
type rowEnd struct{ textBytes, structuredBytes, text, structured int }

// frame is the content of both channels around the rows.
type frame struct {
	linesBefore, linesAfter           []string // of the text
	structuredBefore, structuredAfter []byte
}

// newPage writes rows until no further row can fit. write appends a row to both channels.
func newPage(total int, write func(i int, text, structured []byte) ([]byte, []byte)) *page {
	p := &page{total: total, ends: make([]rowEnd, 0, total), text: rawjson.Borrow(), structured: rawjson.Borrow()}
	var end rowEnd
	for i := range total {
		text, structured := write(i, *p.text, *p.structured)
		text, structured = append(text, '\n'), append(structured, ',')
		end.text += Length(text[end.textBytes:])
		end.structured += Length(structured[end.structuredBytes:])
		end.textBytes, end.structuredBytes = len(text), len(structured)
		*p.text, *p.structured = text, structured
		p.ends = append(p.ends, end)
		if end.text > TextCharacters || end.structured > ChannelCharacters {
			break
		}
	}
	return p
}

// end returns the end of the leading rows.
func (p *page) end(shown int) rowEnd {
	if shown == 0 {
		return rowEnd{}
	}
	return p.ends[shown-1]
}

// fits reports whether the leading rows fit both channels within a frame.
func (p *page) fits(shown int, f frame) bool {
	if shown > len(p.ends) {
		return false
	}
	end := p.end(shown)
	text, structured := end.text, Length(f.structuredBefore)+end.structured+Length(f.structuredAfter)
	for _, line := range slices.Concat(f.linesBefore, f.linesAfter) {
		text += Length(line) + 1
	}
	if shown < p.total {
		text, structured = text+cursorReserve, structured+cursorReserve
	}
	return text <= TextCharacters && structured <= ChannelCharacters
}

// fit returns the number of leading rows that fit, up to a maximum, and their frame.
func (p *page) fit(maximum int, frameOf func(shown int) frame) (int, frame) {
	if whole := frameOf(maximum); p.fits(maximum, whole) {
		return maximum, whole
	}
	shown := sort.Search(min(maximum, len(p.ends)), func(n int) bool { return !p.fits(n+1, frameOf(n+1)) })
	return shown, frameOf(shown)
}

// result returns both channels with the leading rows. The page must not be used again, because others borrow its buffers.
func (p *page) result(shown int, f frame) *tool.Result {
	defer rawjson.Return(p.text)
	defer rawjson.Return(p.structured)
	end := p.end(shown)
	var text strings.Builder
	text.Grow(end.textBytes + roomForLines)
	for _, line := range f.linesBefore {
		text.WriteString(line + "\n")
	}
	text.Write((*p.text)[:end.textBytes])
	for _, line := range f.linesAfter {
		text.WriteString(line + "\n")
	}
	return &tool.Result{
		Text:       strings.TrimSuffix(text.String(), "\n"),
		Structured: slices.Concat(f.structuredBefore, bytes.TrimSuffix((*p.structured)[:end.structuredBytes], []byte(",")), f.structuredAfter),
		Rows:       shown,
	}
}
