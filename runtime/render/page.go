package render

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// rereadsMost bounds how often a page is read again. Once is enough for a server whose smaller page is
// the beginning of the larger one; over several connections the rows may come in another mixture.
const rereadsMost = 3

// cursorCharacters is kept free in a page that does not show every row: the smaller page, when it is
// read, has a cursor that the larger one may not have had.
const cursorCharacters = 1_200

// page is rows of which the leading ones are shown, in both channels alike: as many as fit both (R-BUD-3, R-BUD-5).
type page struct {
	total int // rows that were read
	cuts  int // values of which only the beginning is shown, in the rows that are written
	// What is written: a line break before each row of the text, a comma before each of structured output, and before the first
	// room for the opening of the frame.
	text, structured []byte
	ends             []end  // of the first rows, by their number
	handle           []byte // of the row that is being written, as JSON
}

// end is where a row ends in what is written, in bytes and in characters.
type end struct{ text, structured, textLength, structuredLength int }

// openingRoom is how many bytes either channel of most pages has before its rows.
const openingRoom = 1_024

// closingRoom is how many bytes most pages have behind their rows.
const closingRoom = 1_024

// frame is what stands around the rows that are shown: lines of text before and after them, and structured output that
// ends in the opening bracket of the rows, or begins with the closing one.
type frame struct {
	before, after []string
	open, close   []byte
}

// newPage writes rows until no more of them can fit.
func newPage(total int, write func(p *page, i int)) *page {
	p := &page{total: total, ends: make([]end, 1, total+1), text: make([]byte, openingRoom), structured: make([]byte, openingRoom)}
	p.ends[0] = end{text: openingRoom, structured: openingRoom}
	for i := range total {
		last := p.ends[i]
		p.text, p.structured = append(p.text, '\n'), append(p.structured, ',')
		write(p, i)
		p.ends = append(p.ends, end{
			len(p.text), len(p.structured),
			last.textLength + rawLength(p.text[last.text:]), last.structuredLength + rawLength(p.structured[last.structured:]),
		})
		if next := p.ends[i+1]; next.textLength > TextCharacters || next.structuredLength > ChannelCharacters {
			break
		}
		if i == 0 { // the others are about as long
			p.text = slices.Grow(p.text, min((total-1)*(len(p.text)-openingRoom)*17/16, TextCharacters)+closingRoom)
			p.structured = slices.Grow(p.structured, min((total-1)*(len(p.structured)-openingRoom)*17/16, ChannelCharacters)+closingRoom)
		}
	}
	return p
}

// written is how many rows are written; more than so many do not fit.
func (p *page) written() int { return len(p.ends) - 1 }

// free is how many characters both channels have left with so many leading rows; less than 0 when these do not fit.
func (p *page) free(shown int, around frame) int {
	if shown > p.written() {
		return -1
	}
	reserve := 0
	if shown < p.total {
		reserve = cursorCharacters
	}
	text := p.ends[shown].textLength + reserve
	for _, lines := range [][]string{around.before, around.after} {
		for _, line := range lines {
			text += Length(line) + 1
		}
	}
	structured := p.ends[shown].structuredLength + rawLength(around.open) + rawLength(around.close) + reserve
	return min(TextCharacters-text, ChannelCharacters-structured)
}

// fit is how many leading rows fit, of so many at most, and the frame around these.
func (p *page) fit(most int, around func(shown int) frame) (int, frame) {
	if most <= p.written() {
		if whole := around(most); p.free(most, whole) >= 0 {
			return most, whole
		}
	}
	shown := sort.Search(min(most, p.written()), func(n int) bool { return p.free(n+1, around(n+1)) < 0 })
	return shown, around(shown)
}

// result is both channels with so many leading rows. The page is not used again.
func (p *page) result(shown int, around frame) *tool.Result {
	last := p.ends[shown]
	before, after := strings.Join(around.before, "\n"), strings.Join(append([]string{""}, around.after...), "\n")
	text := enclosed(p.text[:last.text], 0, []byte(before), []byte(after))
	if before == "" {
		text = bytes.TrimPrefix(text, []byte("\n"))
	}
	comma := min(1, last.structured-openingRoom) // before the first row
	structured := enclosed(p.structured[:last.structured], comma, around.open, around.close)
	return &tool.Result{Text: string(text), Structured: structured, Rows: shown}
}

// enclosed is what was written behind the room for an opening and so many bytes more, with its opening and closing.
func enclosed(written []byte, leftOut int, opening, closing []byte) []byte {
	begin := openingRoom + leftOut
	start := begin - len(opening)
	if start < 0 {
		return slices.Concat(opening, written[begin:], closing)
	}
	copy(written[start:], opening)
	return append(written[start:], closing...)
}

// reread says that a page was read again with a smaller limit, because its rows did not fit (R-BUD-3).
// The zero value is a page that was not.
type reread struct {
	limit int // of the page that is shown
	rows  int // of the page that did not fit
}

func (r reread) members() rawjson.Object {
	if r.limit == 0 {
		return nil
	}
	return rawjson.Object{rawjson.Int("limit_used", int64(r.limit)), rawjson.Int("rows_too_many", int64(r.rows))}
}

func (r reread) lines(noun string) []string {
	if r.limit == 0 {
		return nil
	}
	return []string{fmt.Sprintf("limit_used=%d: a page of %d %s does not fit into one result.", r.limit, r.rows, noun)}
}

// listPage is one page of a list and the part of it that is shown.
type listPage struct {
	list
	response        *rs.Response
	again           reread
	columns, shared rawjson.Object
	page            *page
	shown           int   // rows from the first on
	around          frame // of these
}

// leftOut is the number of rows that the RS sent and the page does not show.
func (l *listPage) leftOut() int { return len(l.Rows) - l.shown }

func (l *listPage) total() int { return len(l.Rows) }

// readable is a page of rows that knows how many of them fit.
type readable interface {
	leftOut() int
	smallerLimit() int // the limit with which the same page would fit; 0: none
	total() int        // rows that were read
}

// fittingPage opens a page, and reads it again with a smaller limit while it does not fit, so that the
// RS's own cursor goes on right after the last row shown. A page that cannot be read again, because the
// RS fails or does not keep to the limit, is shown as far as it fits.
func fittingPage[P readable](ctx context.Context, env tool.Env, response *rs.Response, open func(*rs.Response, reread) (P, error)) (P, error) {
	page, err := open(response, reread{})
	if err != nil {
		return page, err
	}
	if response.Reading != nil { // which has a way on from each of its rows
		return page, nil
	}
	rows := page.total()
	for range rereadsMost {
		limit := page.smallerLimit()
		if page.leftOut() == 0 || limit == 0 || limit >= response.Request.Limit() {
			return page, nil
		}
		request := response.Request
		request.Query = request.Query.With("limit", strconv.Itoa(limit))
		again, err := env.Get(ctx, request)
		if err != nil {
			return page, nil //nolint:nilerr // the page at hand is right, and says how to read the rest
		}
		smaller, err := open(again, reread{limit: limit, rows: rows})
		if err != nil || smaller.total() == 0 {
			return page, nil //nolint:nilerr // as above
		}
		response, page = again, smaller
	}
	return page, nil
}
