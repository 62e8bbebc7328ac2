package rs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// List is a list envelope (rs-contract.md, Envelopes) taken apart. Older servers wrap the envelope in one more
// data object.
type List struct {
	Outer    rawjson.Object // the body
	Inner    rawjson.Object // the envelope inside data; nil when the body is the envelope
	RowsName string         // the member that holds the rows
	Rows     []json.RawMessage

	isTooLong bool // more rows than requested
}

// Cursor returns a cursor before a row.
func (l *List) Cursor(row int) rawjson.Cursor { return rawjson.NewCursor(l.Rows[row]) }

// List takes the body apart as a list, wrapped or not, and keeps the rows of the page that was asked for. A body
// without a list is a *Failure. The rows are not to be written to, since whoever reads the list next has the same ones.
func (r *Response) List() (List, error) {
	if r.list == nil {
		list, err := r.wholeList()
		if err != nil {
			return List{}, err
		}
		r.list = &list
	}
	return r.page(*r.list), nil
}

func (r *Response) wholeList() (List, error) {
	list, ok := listIn(r.compact, r.rowsMax)
	if !ok && !list.isTooLong {
		outer := list.Outer
		list, ok = listIn(outer.Get("data"), r.rowsMax)
		list.Outer, list.Inner = outer, list.Outer
	}
	switch {
	case list.isTooLong:
		return List{}, r.Unusable(fmt.Sprintf("the resource server's answer has more than the %d rows that were requested", r.rowsMax), tryAgain)
	case !ok:
		return List{}, r.Unusable("the resource server's answer holds no list of rows", "")
	}
	return list, nil
}

// page leaves out the rows after those that were asked for, and then those that the caller has.
func (r *Response) page(list List) List {
	if r.most > 0 && len(list.Rows) > r.most {
		list.Rows = list.Rows[:r.most]
		if more := json.RawMessage("true"); list.Inner != nil {
			list.Inner = list.Inner.With("has_more", more)
		} else {
			list.Outer = list.Outer.With("has_more", more)
		}
	}
	if r.Request.isFromNow() {
		list.Rows, list.Outer, list.Inner = nil, withoutRows(list.Outer), withoutRows(list.Inner)
	}
	list.Rows = list.Rows[min(r.Seen, len(list.Rows)):]
	return list
}

// withoutRows is an envelope in which nothing follows; nil stays nil.
func withoutRows(envelope rawjson.Object) rawjson.Object {
	if envelope == nil || envelope.Get("has_more") == nil {
		return envelope
	}
	return envelope.Without("next_cursor").With("has_more", json.RawMessage("false"))
}

// rowsNames are the members under which servers list rows, the usual one first.
var rowsNames = []string{"data", "records", "results", "hits"}

// ListIn takes an envelope apart that is not wrapped, such as that of an expanded relation. It is false when no
// member holds rows.
func ListIn(envelope rawjson.Value) (List, bool) { return listIn(envelope, 0) }

// listIn is ListIn for a list that may have up to limit rows of each connection, or any number if limit is 0.
func listIn(envelope rawjson.Value, limit int) (List, bool) {
	var list List
	better := rowsNames
	c := rawjson.NewCursor(envelope)
	for inside := c.Enter(rawjson.ObjectValue); inside && c.More(); {
		name, start := string(c.Name()), c.At()
		if at := slices.Index(better, name); at >= 0 && c.Kind() == rawjson.ArrayValue {
			list.RowsName, better = name, better[:at]
			counts := rowCounts{limit: limit}
			list.Rows = nil
			for inside := c.Enter(rawjson.ArrayValue); inside && c.More(); {
				list.Rows = append(list.Rows, c.Value())
				if list.isTooLong = counts.exceed(list.Rows); list.isTooLong {
					return list, false
				}
			}
		} else {
			c.Value()
		}
		list.Outer = append(list.Outer, rawjson.Raw(name, c.Since(start)))
	}
	return list, list.RowsName != ""
}

// maxRows bounds the rows of a list without a limit, and those of all connections together.
const maxRows = 10_000

// rowCounts counts the rows of each connection, since resource servers apply a limit to each of several.
type rowCounts struct {
	limit        int
	byConnection map[string]int // counted once there are more rows than the limit
}

// exceed reports whether the last of the rows is one too many.
func (c *rowCounts) exceed(rows []rawjson.Value) bool {
	uncounted := rows[len(rows)-1:]
	switch {
	case len(rows) > maxRows:
		return true
	case c.limit == 0 || len(rows) <= c.limit:
		return false
	case c.byConnection == nil:
		c.byConnection, uncounted = map[string]int{}, rows
	}
	for _, row := range uncounted {
		cursor := rawjson.NewCursor(row)
		connection := rawjson.TextOf(cursor.Member("connection_id"))
		if c.byConnection[connection]++; c.byConnection[connection] > c.limit {
			return true
		}
	}
	return false
}

// likelyReach is how far, in bytes, from the beginning and the end of a body a cursor is looked for.
const likelyReach = 4 << 10

var likelyName = []byte(`"next_cursor":"`)

// likelyCursor is what seems to be the next cursor of a list in a body that nobody has checked; empty: none was found.
func likelyCursor(body []byte) string {
	at := bytes.LastIndex(body[max(0, len(body)-likelyReach):], likelyName)
	if at >= 0 {
		at += max(0, len(body)-likelyReach)
	} else if at = bytes.Index(body[:min(len(body), likelyReach)], likelyName); at < 0 {
		return ""
	}
	cursor, _, ends := bytes.Cut(body[at+len(likelyName):], []byte(`"`))
	if !ends || bytes.IndexByte(cursor, '\\') >= 0 {
		return ""
	}
	return string(cursor)
}

// Get is a member beside the rows, else of the body; nil when neither has it, or it is null.
func (l List) Get(name string) json.RawMessage {
	if value := l.Inner.Get(name); value != nil {
		return value
	}
	return l.Outer.Get(name)
}

// Text is the text of a member, looked up as Get does; empty when it is no JSON string.
func (l List) Text(name string) string { return rawjson.TextOf(l.Get(name)) }

// Meta is the object meta, looked up as Get does; nil when there is none.
func (l List) Meta() rawjson.Object {
	meta, _ := rawjson.ParseObject(l.Get("meta"))
	return meta
}

// Member is one member of a JSON object, its value as it was spelled.
type Member = rawjson.Member

// Members returns the members of one JSON object in the order in which they were written, duplicates included, without
// whitespace between tokens. Its error is rawjson.ErrNotObject or one of rawjson.Compact.
func Members(object []byte) ([]Member, error) {
	compact, err := rawjson.Compact(object)
	if err != nil {
		return nil, err
	}
	members, ok := rawjson.ParseObject(compact)
	if !ok {
		return nil, rawjson.ErrNotObject
	}
	return members, nil
}
