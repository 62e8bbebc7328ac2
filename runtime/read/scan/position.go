package scan

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// position is a place in a list: a number of rows after the beginning of the page at a cursor of the resource server.
type position struct {
	Connection string `json:"o,omitempty"` // if connections are read one after another
	Cursor     string `json:"c,omitempty"` // of the resource server; empty: the beginning of the list
	Skip       int    `json:"k,omitempty"` // rows of the page that were read
	LastRow    string `json:"a,omitempty"` // record.hash of the last row that was read
	Count      *int64 `json:"n,omitempty"` // of all matching rows, if known
	Sorts      bool   `json:"s,omitempty"` // the adapter sorts the rows from here on
	LastValue  string `json:"f,omitempty"` // of sorted rows: the value of the last row that was shown, as JSON
	LastKey    string `json:"b,omitempty"` // its key; empty: none was shown
	TimeField  string `json:"t,omitempty"` // the field with the times of the records; empty: unknown
	IsRead     bool   `json:"d,omitempty"` // nothing follows in the list of the connection
}

// rowsPosition is where a page of rows continues: in one list, or in the lists of several connections that are merged.
type rowsPosition struct {
	position
	Lists []position `json:"l,omitempty"` // one for each connection; nil: one list
}

func (p rowsPosition) encode(request rs.Request) string {
	return tool.EncodeCursor(positionPrefix, request, p)
}

const positionPrefix = "reading." // no cursor of a resource server is known to begin with it

// Refusals of cursors that cannot be continued.
var (
	errOtherCall  = tool.CursorRefused("belongs to another call: every argument but limit must stay the same", nil)
	errReadingOff = tool.CursorRefused("is of a server that filters by reading, which is turned off here", nil)
)

// inList returns the position in the list of the resource server alone.
func (p position) inList() position {
	p.Sorts, p.LastValue, p.LastKey, p.TimeField = false, "", "", ""
	return p
}

func (p position) encode(request rs.Request) string {
	return tool.EncodeCursor(positionPrefix, request, p)
}

// positionOf returns the position at which the page of a request begins. isOwn is false without a cursor, and for a
// cursor of the resource server. Its error is a *tool.Error.
func positionOf(env tool.Env, cursor *string, request rs.Request) (p position, isOwn bool, err error) {
	return decodePosition(env, cursor, request, func(p position) []position { return []position{p} })
}

// rowsPositionOf returns the position at which a page of rows begins. It returns the results of positionOf.
func rowsPositionOf(env tool.Env, cursor *string, request rs.Request) (p rowsPosition, isOwn bool, err error) {
	return decodePosition(env, cursor, request, func(p rowsPosition) []position { return append(p.Lists, p.position) })
}

func decodePosition[T any](env tool.Env, cursor *string, request rs.Request, parts func(T) []position) (p T, isOwn bool, err error) {
	if cursor == nil {
		return p, false, nil
	}
	p, isOwn, err = tool.DecodeCursor[T](positionPrefix, request, *cursor)
	isMalformed := func(p position) bool { return p.Skip < 0 || p.Count != nil && *p.Count < 0 }
	switch {
	case err != nil || !isOwn:
	case slices.ContainsFunc(parts(p), isMalformed):
		err = tool.CursorRefused("is malformed", nil)
	case env.Readings == nil:
		err = errReadingOff
	}
	return p, isOwn, err
}

// skipped returns how many rows of the page at the position were read. It finds the last of them by its hash, because
// an added or deleted row moves it by one. If the page is shorter than it was, beyond is the number of rows to skip on
// the next page.
func (p position) skipped(rows []record) (inPage, beyond int) {
	if p.Skip == 0 {
		return 0, 0
	}
	for i := max(0, p.Skip-2); i < len(rows); i++ {
		if rows[i].hash() == p.LastRow {
			return i + 1, 0
		}
	}
	if p.Skip > len(rows) {
		return len(rows), p.Skip - len(rows)
	}
	return p.Skip - 1, 0 // the last row was deleted
}
