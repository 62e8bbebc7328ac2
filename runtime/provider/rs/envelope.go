package rs

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// List is a list envelope (docs/provider-contract.md, Envelopes). Older servers wrap the envelope in another data
// object.
type List struct {
	Outer    rawjson.Object // the body
	Inner    rawjson.Object // the envelope inside data; nil if the body is the envelope
	RowsName string         // the member that holds the rows
	Rows     []json.RawMessage

	isTooLong bool // more rows than rawjson.Cursor.Rows returns
	parsed    []rawjson.Row
}

// Cursor returns a cursor at the start of a row.
func (l *List) Cursor(row int) rawjson.Cursor { return rawjson.NewCursor(l.Rows[row]) }

// List reads the body as a list, wrapped or not, with the rows of the requested page. A body without a list, or with
// too many rows, is a *Failure. The caller must not write to the rows: the next call of List returns the same ones.
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

// Rows returns the rows of List with their members. The caller must not write to them: the next call returns the same
// ones.
func (r *Response) Rows() ([]rawjson.Row, error) {
	if _, err := r.List(); err != nil {
		return nil, err
	}
	return r.page(*r.list).parsed, nil
}

func (r *Response) wholeList() (List, error) {
	limit := r.Request.asSent().maxRows()
	list, ok := ListIn(r.compact)
	if !ok && !list.isTooLong {
		outer := list.Outer
		list, ok = ListIn(outer.Get("data"))
		list.Outer, list.Inner = outer, list.Outer
	}
	switch {
	case list.isTooLong, len(list.Rows) > limit && exceeds(list.parsed, limit):
		return List{}, r.Unusable(fmt.Sprintf("the resource server's answer has more than the %d rows that were requested", limit), tryAgain)
	case !ok:
		return List{}, r.Unusable("the resource server's answer holds no list of rows", "")
	}
	return list, nil
}

// page removes the rows beyond the requested number.
func (r *Response) page(list List) List {
	if wanted := r.Request.Limit(); r.Request.Path == HybridRoute && len(list.Rows) > wanted { // asSent requests more
		list.Rows, list.parsed = list.Rows[:wanted], list.parsed[:wanted]
		if more := json.RawMessage("true"); list.Inner != nil {
			list.Inner = list.Inner.With("has_more", more)
		} else {
			list.Outer = list.Outer.With("has_more", more)
		}
	}
	if r.Request.isFromNow() {
		list.Rows, list.parsed, list.Outer, list.Inner = nil, nil, withoutNextPage(list.Outer), withoutNextPage(list.Inner)
	}
	return list
}

func withoutNextPage(envelope rawjson.Object) rawjson.Object {
	if envelope == nil || envelope.Get("has_more") == nil {
		return envelope
	}
	return envelope.Without("next_cursor").With("has_more", json.RawMessage("false"))
}

// rowsNames are the members under which servers list rows, the usual one first.
var rowsNames = []string{"data", "records", "results", "hits"}

// ListIn reads an envelope that is not wrapped, such as an expanded relation. It is false if no member has rows, or too
// many.
func ListIn(envelope rawjson.Value) (List, bool) {
	list, rank := List{Outer: make(rawjson.Object, 0, 12)}, len(rowsNames)
	c := rawjson.NewCursor(envelope)
	for inside := rawjson.Kind(envelope) == rawjson.ObjectValue && c.Enter(rawjson.ObjectValue); inside && c.More(); {
		name, at := string(c.Name()), c.At()
		if found := slices.Index(rowsNames[:rank], name); found >= 0 && c.Kind() == rawjson.ArrayValue {
			rows, isWhole := c.Rows()
			list.RowsName, list.parsed, list.isTooLong, rank = name, rows, !isWhole, found
		} else {
			c.Value()
		}
		list.Outer = append(list.Outer, rawjson.Raw(name, c.Since(at)))
	}
	list.Rows = make([]json.RawMessage, len(list.parsed))
	for i, row := range list.parsed {
		list.Rows[i] = row.Value
	}
	return list, rank < len(rowsNames) && !list.isTooLong
}

// Get returns a member of the envelope, otherwise of the body. It is nil if the member is absent or null.
func (l List) Get(name string) json.RawMessage {
	if value := l.Inner.Get(name); value != nil {
		return value
	}
	return l.Outer.Get(name)
}

// Text returns the text of a member that Get finds, or "" if it is not a string.
func (l List) Text(name string) string { return rawjson.TextOf(l.Get(name)) }

// Meta returns the object meta that Get finds, as WithCount returns it, or nil.
func (l List) Meta() rawjson.Object {
	meta, _ := rawjson.ParseObject(l.Get("meta"))
	return WithCount(meta)
}

// WithCount returns meta with the number of rows as its kind and value. A search sends a number, with its kind as
// count_accuracy (R-HAND-8). Other forms are left out.
func WithCount(meta rawjson.Object) rawjson.Object {
	switch count := meta.Get(wire.Count); rawjson.Kind(count) {
	case rawjson.ObjectValue:
		return meta
	case rawjson.Number:
		total := append(rawjson.Texts("kind", meta.Text("count_accuracy")), rawjson.Raw("value", count))
		return meta.Without("count_accuracy").With(wire.Count, total.Encode())
	}
	return meta.Without(wire.Count)
}

// Member is one member of a JSON object. Its value keeps its spelling.
type Member = rawjson.Member
