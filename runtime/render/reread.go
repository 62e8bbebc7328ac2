package render

import (
	"context"
	"fmt"
	"strconv"

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

// readable is a page of rows that knows how many of them fit.
type readable interface {
	leftOut() int      // rows that were read and do not fit
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
	rows := page.total()
	for range rereadsMost {
		limit := page.smallerLimit()
		if page.leftOut() == 0 || limit == 0 || limit >= sentLimit(response, page.total()) {
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

// sentLimit is the limit of a request; without one, what the RS took for it.
func sentLimit(response *rs.Response, rows int) int {
	if sent, ok := response.Request.Query.Get("limit"); ok {
		if limit, err := strconv.Atoi(sent); err == nil {
			return limit
		}
	}
	return rows
}
