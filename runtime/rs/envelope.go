package rs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// List is a list envelope (rs-contract.md, Envelopes). Older servers wrap the envelope in another data object.
type List struct {
	Outer    rawjson.Object // the body
	Inner    rawjson.Object // the envelope inside data; nil if the body is the envelope
	RowsName string         // the member that holds the rows
	Rows     []json.RawMessage

	isTooLong bool // more rows than requested
}

// Cursor returns a cursor before a row.
func (l *List) Cursor(row int) rawjson.Cursor { return rawjson.NewCursor(l.Rows[row]) }

// List reads the body as a list, wrapped or not, with the rows of the requested page. A body without a list, or with too many
// rows, is a *Failure. The caller must not write to the rows: the next call of List returns the same ones.
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

// page removes the rows after the requested ones, and those that the caller has already.
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

// withoutRows returns an envelope that says that nothing follows; nil stays nil.
func withoutRows(envelope rawjson.Object) rawjson.Object {
	if envelope == nil || envelope.Get("has_more") == nil {
		return envelope
	}
	return envelope.Without("next_cursor").With("has_more", json.RawMessage("false"))
}

// rowsNames are the members under which servers list rows, the usual one first.
var rowsNames = []string{"data", "records", "results", "hits"}

// ListIn reads an envelope that is not wrapped, such as that of an expanded relation. It is false if no member has rows.
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

// Get returns a member of the envelope, or else of the body. It is nil if the member is absent or null.
func (l List) Get(name string) json.RawMessage {
	if value := l.Inner.Get(name); value != nil {
		return value
	}
	return l.Outer.Get(name)
}

// Text returns the text of a member that Get finds, or "" if it is not a string.
func (l List) Text(name string) string { return rawjson.TextOf(l.Get(name)) }

// Meta returns the object meta that Get finds, or nil.
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
