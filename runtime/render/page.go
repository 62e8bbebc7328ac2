package render

import (
	"bytes"
	"slices"
	"sort"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// cursorReserve is the number of characters kept free in an incomplete page for the cursor of the smaller page that is read instead.
const cursorReserve = 1_200

// page holds rows in both channels. Both show the same leading rows: as many as fit both (R-BUD-3, R-BUD-5).
type page struct {
	total      int      // rows that were read
	ends       []rowEnd // of the leading rows, up to the first that cannot fit
	counted    int      // how many of these have their characters
	text       *[]byte  // the rows, each with a line break after it; borrowed
	structured *[]byte  // the rows, each with a comma after it; borrowed
}

// rowEnd is the end of a row in either channel, in bytes and in characters. A page with fewer bytes than a channel has
// room for characters does not count the characters: they are not more.
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
		end.textBytes, end.structuredBytes = len(text), len(structured)
		*p.text, *p.structured = text, structured
		p.ends = append(p.ends, end)
		if end.textBytes > TextCharacters || end.structuredBytes > ChannelCharacters {
			p.count()
			if last := p.ends[i]; last.text > TextCharacters || last.structured > ChannelCharacters {
				break
			}
		}
	}
	return p
}

// count counts the characters of the rows that are not counted yet.
func (p *page) count() {
	for i := p.counted; i < len(p.ends); i++ {
		before, end := p.end(i), &p.ends[i]
		end.text = before.text + Length((*p.text)[before.textBytes:end.textBytes])
		end.structured = before.structured + Length((*p.structured)[before.structuredBytes:end.structuredBytes])
	}
	p.counted = len(p.ends)
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
	text, structured := 0, Length(f.structuredBefore)+Length(f.structuredAfter)
	for _, line := range slices.Concat(f.linesBefore, f.linesAfter) {
		text += Length(line) + 1
	}
	if shown < p.total {
		text, structured = text+cursorReserve, structured+cursorReserve
	}
	end := p.end(shown)
	if text+end.textBytes <= TextCharacters && structured+end.structuredBytes <= ChannelCharacters {
		return true
	}
	p.count()
	end = p.end(shown)
	return text+end.text <= TextCharacters && structured+end.structured <= ChannelCharacters
}

// fit returns the number of leading rows that fit, up to a maximum, and their frame.
func (p *page) fit(maximum int, frameOf func(shown int) frame) (int, frame) {
	if whole := frameOf(maximum); p.fits(maximum, whole) {
		return maximum, whole
	}
	shown := sort.Search(min(maximum, len(p.ends)), func(n int) bool { return !p.fits(n+1, frameOf(n+1)) })
	return shown, frameOf(shown)
}

// result returns both channels with the leading rows. The result has the buffers of the page.
func (p *page) result(shown int, f frame) *tool.Result {
	end := p.end(shown)
	text := [][]byte{joinLines(f.linesBefore), (*p.text)[:end.textBytes], joinLines(f.linesAfter)}
	for last := len(text) - 1; last >= 0; last-- { // the text ends without a line break
		if len(text[last]) > 0 {
			text[last] = bytes.TrimSuffix(text[last], []byte("\n"))
			break
		}
	}
	rows := bytes.TrimSuffix((*p.structured)[:end.structuredBytes], []byte(","))
	return &tool.Result{Rows: shown, Page: &tool.Page{
		Text: [3][]byte(text), Structured: [3][]byte{f.structuredBefore, rows, f.structuredAfter},
		Borrowed: []*[]byte{p.text, p.structured},
	}}
}

func joinLines(lines []string) []byte {
	var joined []byte
	for _, line := range lines {
		joined = append(append(joined, line...), '\n')
	}
	return joined
}
