package tool

import (
	"context"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Place is a row of a list for which the resource server has no cursor: a number of rows after one of its cursors. Servers have no
// cursors in a hybrid search, over several connections, and in the middle of a page (R-BUD-3, R-SEARCH-9).
type Place struct {
	Cursor string `json:"c,omitempty"` // of the resource server; empty: the beginning of the list
	Skip   int    `json:"k"`           // rows, at least 1 in a cursor
}

// placed is a place as its cursor holds it.
type placed struct {
	Version  int    `json:"v"`
	Question string `json:"q"` // what the cursor is bound to
	Place
}

const (
	placePrefix  = "place." // no cursor of a resource server was seen to begin so
	placeVersion = 1

	// placeReads bounds the reads for one page at a place: the pages that have to be passed by are no longer than
	// rs.MostRows, and a place is one or two of them after the server's cursor.
	placeReads = 4
)

// CursorAt is the cursor of a place in the list that the request asks for, whatever page of it.
func (p Place) CursorAt(request rs.Request) string {
	if p.Skip == 0 {
		return p.Cursor
	}
	return placePrefix + EncodeCursor(placed{placeVersion, QuestionOf(request), p})
}

// PlaceOf is where the page of a request begins. Its error is an *Error: a cursor that CursorAt made for another list,
// or that was changed.
func PlaceOf(request rs.Request) (Place, error) {
	sent, _ := request.Query.Get("cursor")
	text, made := strings.CutPrefix(sent, placePrefix)
	if !made {
		return Place{Cursor: sent}, nil
	}
	parsed, err := DecodeCursor[placed](text)
	switch {
	case err != nil:
		return Place{}, err
	case parsed.Version != placeVersion || parsed.Skip < 1:
		return Place{}, CursorRefused("is malformed", nil)
	case parsed.Question != QuestionOf(request):
		return Place{}, CursorRefused("belongs to another call: every argument but limit must stay the same", nil)
	}
	return parsed.Place, nil
}

// Get reads as RS.Get does, also at a cursor that CursorAt made: it asks the resource server for a longer page, and
// Response.Seen says how many rows of it the caller has. Response.Request stays what was asked. Its error may also be an
// *Error, of PlaceOf.
func (e Env) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	place, err := PlaceOf(request)
	if err != nil {
		return nil, err
	}
	if place.Skip == 0 {
		return e.RS.Get(ctx, request)
	}
	for reads := 1; ; reads++ {
		asked := request
		asked.Query = place.query(request)
		response, err := e.RS.Get(ctx, asked)
		if err != nil {
			return nil, err
		}
		list, err := response.List()
		if err != nil {
			return nil, err
		}
		next := list.Text("next_cursor")
		if len(list.Rows) > place.Skip || next == "" || reads == placeReads {
			response.Seen, response.Request.Query = place.Skip, request.Query
			return response, nil
		}
		place = Place{next, place.Skip - len(list.Rows)}
	}
}

// query asks for the rows before the place and those of the page.
func (p Place) query(request rs.Request) rs.Query {
	limit := min(p.Skip+request.Limit(), rs.MostRows)
	query := request.Query.Without("cursor").With("limit", strconv.Itoa(limit))
	if p.Cursor != "" {
		query = query.With("cursor", p.Cursor)
	}
	return query
}
