package readon

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// place is a row of a list that is read on: so many rows after the beginning of the page at a cursor of the resource server.
type place struct {
	Version    int    `json:"v"`
	Question   string `json:"q"`           // what the cursor is bound to
	Connection string `json:"o,omitempty"` // of a list that goes over several
	Cursor     string `json:"c,omitempty"` // of the resource server; empty: the beginning of the list
	Skip       int    `json:"k,omitempty"` // rows of the page that were looked at
	Last       string `json:"a,omitempty"` // the print of the last of them
	Count      *int64 `json:"n,omitempty"` // all that match, when that is known
	Sorts      bool   `json:"s,omitempty"` // the order is made here, among the rows behind the place
}

const (
	placePrefix  = "reading." // no cursor of a resource server was seen to begin so
	placeVersion = 1
)

// The refusals of cursors that cannot be read on from.
var (
	errOtherCall = tool.CursorRefused("belongs to another call: every argument but limit must stay the same", nil)
	errNoReading = tool.CursorRefused("is of a server that applies filters itself, which is turned off here", nil)
)

func (p place) encode(asked rs.Request) string {
	p.Version, p.Question = placeVersion, tool.QuestionOf(asked)
	return placePrefix + tool.EncodeCursor(p)
}

// placeIn is where the page of a request begins; isOurs is false without a cursor, and for one of the resource server's. Its
// error is a *tool.Error: a cursor that was made for another call, that was changed, or that this adapter may not read on from.
func placeIn(env tool.Env, cursor *string, asked rs.Request) (from place, isOurs bool, err error) {
	if cursor == nil {
		return place{}, false, nil
	}
	text, isOurs := strings.CutPrefix(*cursor, placePrefix)
	if !isOurs {
		return place{}, false, nil
	}
	from, err = tool.DecodeCursor[place](text)
	switch {
	case err != nil:
	case from.Version != placeVersion || from.Skip < 0 || from.Count != nil && *from.Count < 0:
		err = tool.CursorRefused("is malformed", nil)
	case from.Question != tool.QuestionOf(asked):
		err = errOtherCall
	case env.Readings == nil:
		err = errNoReading
	}
	return from, true, err
}

// passed is how many rows of the page at the place were looked at. The last of them tells where that is now: a row that
// came or went in the meantime moves it by one. Rows that are left to pass, because the page is shorter than it was, are beyond.
func (p place) passed(rows []record) (inPage, beyond int) {
	if p.Skip == 0 {
		return 0, 0
	}
	for i := max(0, p.Skip-2); i < len(rows); i++ {
		if rows[i].print() == p.Last {
			return i + 1, 0
		}
	}
	if p.Skip > len(rows) {
		return len(rows), p.Skip - len(rows)
	}
	return p.Skip - 1, 0 // the last row has gone
}
