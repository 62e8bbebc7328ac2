package render

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// maxRereads is how often a page may be read again. One reread is enough unless the page has several connections.
const maxRereads = 3

// cursorReserve is the number of characters kept free in an incomplete page for the cursor of the smaller page that is read instead.
const cursorReserve = 1_200

// page holds rows in both channels. Both show the same leading rows: as many as fit both (R-BUD-3, R-BUD-5).
type page struct {
	total int       // rows that were read
	rows  []pageRow // the leading rows, up to the first that cannot fit
}

type pageRow struct {
	text       string
	structured json.RawMessage
	cuts       int // clipped values

	textEnd, structuredEnd int // characters of either channel up to the end of this row
}

// frame is the content of both channels next to the rows.
type frame struct {
	linesBefore, linesAfter []string // of the text
	structured              func(rows json.RawMessage) rawjson.Object
}

// newPage writes rows until no further row can fit.
func newPage(total int, write func(i int) pageRow) *page {
	p := &page{total: total}
	text, structured := 0, 0
	for i := range total {
		row := write(i)
		text += Length(row.text) + 1
		structured += Length(row.structured) + 1
		row.textEnd, row.structuredEnd = text, structured
		p.rows = append(p.rows, row)
		if text > TextCharacters || structured > ChannelCharacters {
			break
		}
	}
	return p
}

// fits reports whether the leading rows fit both channels within a frame.
func (p *page) fits(shown int, f frame) bool {
	if shown > len(p.rows) {
		return false
	}
	text, structured := 0, Length(f.structured(json.RawMessage("[]")).Encode())
	if shown > 0 {
		text, structured = p.rows[shown-1].textEnd, structured+p.rows[shown-1].structuredEnd
	}
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
	shown := sort.Search(min(maximum, len(p.rows)), func(n int) bool { return !p.fits(n+1, frameOf(n+1)) })
	return shown, frameOf(shown)
}

// result returns both channels with the leading rows.
func (p *page) result(shown int, f frame) *tool.Result {
	lines := slices.Clone(f.linesBefore)
	rows := make([]json.RawMessage, shown)
	for i, row := range p.rows[:shown] {
		lines, rows[i] = append(lines, row.text), row.structured
	}
	return &tool.Result{
		Text:       strings.Join(append(lines, f.linesAfter...), "\n"),
		Structured: f.structured(rawjson.Array(rows)).Encode(),
		Rows:       shown,
	}
}

// reread describes a page that was read again with a smaller limit, because its rows did not fit (R-BUD-3).
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

type listPage struct {
	list
	response        *rs.Response
	reread          reread
	columns, shared rawjson.Object
	page            *page
	shown           int   // the number of leading rows
	shownFrame      frame // of these
}

func (l *listPage) result() (*tool.Result, error) {
	return withinBounds(l.response, l.page.result(l.shown, l.shownFrame), TextCharacters)
}

func (l *listPage) leftOut() int { return len(l.Rows) - l.shown }

func (l *listPage) total() int { return len(l.Rows) }

// listRenderer is a page of rows that knows how many of them fit.
type listRenderer interface {
	leftOut() int
	smallerLimit() int // the limit with which the same page would fit
	total() int        // rows that were read
}

// fittingPage opens a page, and reads it again with a smaller limit while it does not fit, so that the RS's cursor continues after the last
// shown row. A page that cannot be read again is shown as far as it fits.
func fittingPage[P listRenderer](ctx context.Context, env tool.Env, response *rs.Response, open func(*rs.Response, reread) (P, error)) (P, error) {
	page, err := open(response, reread{})
	if err != nil || response.Reading != nil || response.Relaxed != nil { // a reading has a cursor after each of its rows, relaxed hits have none
		return page, err
	}
	rows := page.total()
	for range maxRereads {
		limit := page.smallerLimit()
		if page.leftOut() == 0 || limit == 0 || limit >= response.Request.Limit() {
			return page, nil
		}
		request := response.Request
		request.Query = request.Query.With("limit", strconv.Itoa(limit))
		again, err := env.Get(ctx, request)
		if err != nil {
			return page, nil //nolint:nilerr // the first page is right, and says how to read the rest
		}
		smaller, err := open(again, reread{limit: limit, rows: rows})
		if err != nil || smaller.total() == 0 {
			return page, nil //nolint:nilerr // as above
		}
		response, page = again, smaller
	}
	return page, nil
}
