package tool

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// A cursor of the adapter has the whole state between two pages, so that any replica can continue. It has no secret. A
// changed cursor can only reach other positions in lists that the caller may read.

// QuestionOf returns a digest of a request without its cursor and limit. A cursor is bound to this digest. The order of
// parameters does not count, since a client may write a filter in another order for the next page.
func QuestionOf(request rs.Request) string {
	var parameters []string
	for _, parameter := range request.Query.Without(wire.Cursor, wire.Limit).Parameters() {
		parameters = append(parameters, fmt.Sprintf("%q=%q", parameter.Name, parameter.Value))
	}
	slices.Sort(parameters)
	sum := sha256.Sum256([]byte(string(request.Path) + "?" + strings.Join(parameters, "&")))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// EncodeCursor returns a cursor in the alphabet of URLs for the next page of a request's list. Its state is a struct of
// strings, numbers and lists of them. The prefix distinguishes it from cursors of a resource server.
func EncodeCursor(prefix string, request rs.Request, state any) string {
	return prefix + encode(QuestionOf(request), state)
}

// encode writes the version and the question before the members of the state.
func encode(question string, state any) string {
	members, _ := json.Marshal(state) // strings and numbers always encode
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"v":1,"q":%q,%s`, question, members[1:]))
}

// MaxCursor is the maximum length of a cursor that the adapter accepts, in characters. A client may send any text as a
// cursor, and the time that a cursor takes grows with its length.
const MaxCursor = 8 << 10

// CheckCursor returns the refusal of a cursor that is too long, or nil.
func CheckCursor(cursor string) error {
	if len(cursor) > MaxCursor {
		return CursorRefused(fmt.Sprintf("is longer than %d characters", MaxCursor), nil)
	}
	return nil
}

// DecodeCursor returns the state of a cursor that EncodeCursor returned, or isOwn=false for a text without the prefix.
// It returns an *Error for a cursor of another request, and for a text that EncodeCursor does not write.
func DecodeCursor[T any](prefix string, request rs.Request, cursor string) (state T, isOwn bool, err error) {
	text, isOwn := strings.CutPrefix(cursor, prefix)
	if !isOwn {
		return state, false, nil
	}
	var bound struct {
		Question string `json:"q"`
	}
	if err := CheckCursor(cursor); err != nil {
		return state, true, err
	}
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = cmp.Or(json.Unmarshal(decoded, &state), json.Unmarshal(decoded, &bound))
	}
	switch {
	case err != nil || encode(bound.Question, state) != text:
		return state, true, CursorRefused("is malformed", err)
	case bound.Question != QuestionOf(request):
		return state, true, CursorRefused("belongs to another call: every argument but limit must stay the same", nil)
	}
	return state, true, nil
}

// CursorRefused returns the refusal of a cursor of the adapter. The cause may be nil.
func CursorRefused(problem string, cause error) *Error {
	return &Error{
		Code:    InvalidArguments,
		Message: "the cursor " + problem + "; pass next_cursor of the page before as it is, or begin again without cursor",
		Param:   HitsCursor, // the name in every tool with pages
		Cause:   cause,
	}
}

// Place is a row of a list, as a number of rows after a cursor of the resource server. It is needed where the server
// has no cursor: in a hybrid search, over several connections, and within a page (R-BUD-3, R-SEARCH-9).
type Place struct {
	Cursor string `json:"c,omitempty"` // of the resource server; empty: the beginning of the list
	Skip   int    `json:"k"`           // rows, at least 1 in a cursor
}

const (
	placePrefix = "place." // no cursor of a resource server is known to begin with it

	// maxPlaceReads is enough for one page: the place is one or two pages of rs.MaxRows after the server's cursor.
	maxPlaceReads = 4
)

// CursorAt returns the cursor of a place in the list of a request.
func (p Place) CursorAt(request rs.Request) string {
	if p.Skip == 0 {
		return p.Cursor
	}
	return EncodeCursor(placePrefix, request, p)
}

// PlaceOf returns where the page of a request begins. A cursor of CursorAt that belongs to another list or was changed
// is an *Error.
func PlaceOf(request rs.Request) (Place, error) {
	sent, _ := request.Query.Get(wire.Cursor)
	place, isPlace, err := DecodeCursor[Place](placePrefix, request, sent)
	switch {
	case !isPlace:
		return Place{Cursor: sent}, nil
	case err == nil && place.Skip < 1:
		err = CursorRefused("is malformed", nil)
	}
	return place, err
}

// ReadPlace reads the page of a request whose cursor may be one of CursorAt. It calls read with the requests to send,
// which returns the number of rows and the cursor of the next page. ReadPlace returns how many rows at the start of the
// last page the caller has already. Its errors are those of read and of PlaceOf.
func ReadPlace(request rs.Request, read func(rs.Request) (rows int, next string, err error)) (seen int, err error) {
	place, err := PlaceOf(request)
	if err != nil {
		return 0, err
	}
	if place.Skip == 0 {
		_, _, err = read(request)
		return 0, err
	}
	for reads := 1; ; reads++ {
		longer := request
		longer.Query = place.query(request)
		rows, next, err := read(longer)
		if err != nil || rows > place.Skip || next == "" || reads == maxPlaceReads {
			return place.Skip, err
		}
		place = Place{next, place.Skip - rows}
	}
}

// query asks for the rows before the place and those of the page.
func (p Place) query(request rs.Request) rs.Query {
	limit := min(p.Skip+request.Limit(), rs.MaxRows)
	query := request.Query.Without(wire.Cursor).With(wire.Limit, strconv.Itoa(limit))
	if p.Cursor != "" {
		query = query.Without(wire.ChangesSince).With(wire.Cursor, p.Cursor) // a feed continues by its cursor alone (051b)
	}
	return query
}

// Places makes cursors for places in the list of a request. It implements answer.Places.
type Places struct {
	request rs.Request
	start   Place // of the page
}

// PlacesOf returns the places of an answered request.
func PlacesOf(request rs.Request) Places {
	start, _ := PlaceOf(request) // its cursor was accepted
	return Places{request, start}
}

// Skipped returns the number of rows before the page, after the cursor of the resource server with which it was read.
func (p Places) Skipped() int { return p.start.Skip }

// After returns the cursor after the first rows of the page.
func (p Places) After(rows int) string {
	return Place{p.start.Cursor, p.start.Skip + rows}.CursorAt(p.request)
}

// AfterOf returns the cursor after the first rows of one connection, or "" if it has no rows.
func (p Places) AfterOf(connectionID string, rows int) string {
	request := p.request
	request.Query = request.Query.With(wire.ConnectionID, connectionID)
	return Place{Skip: rows}.CursorAt(request)
}
