package render

import (
	"encoding/json"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Unusable is an answer of the RS whose shape does not fit (R-ERR-4).
func Unusable(response *rs.Response, message string, cause error) *rs.Failure {
	return &rs.Failure{
		Reason:    rs.InvalidResponse,
		Message:   message,
		Status:    response.Status,
		RequestID: response.RequestID,
		URL:       response.URL,
		Cause:     cause,
	}
}

// OpenBody takes the body of an answer apart. A body that is not a JSON object is an *rs.Failure.
func OpenBody(response *rs.Response) (rawjson.Object, error) {
	compact, err := rawjson.Compact(response.Body)
	if err != nil {
		return nil, Unusable(response, "the resource server's answer is not JSON in UTF-8", err)
	}
	body, ok := rawjson.ParseObject(compact)
	if !ok {
		return nil, Unusable(response, "the resource server's answer is not a JSON object", nil)
	}
	return body, nil
}

// rowNames are the members under which servers list rows, the usual one first.
var rowNames = []string{"data", "records", "results", "hits"}

// list is a list envelope. Older servers wrap the list in one more data object; inner is then that
// object, else it is nil.
type list struct {
	outer rawjson.Object
	inner rawjson.Object
	name  string // the member that holds the rows
	rows  []json.RawMessage
}

func openList(response *rs.Response) (*list, error) {
	body, err := OpenBody(response)
	if err != nil {
		return nil, err
	}
	if found := findRows(body); found != nil {
		found.outer = body
		return found, nil
	}
	if inner, ok := rawjson.ParseObject(body.Get("data")); ok {
		if found := findRows(inner); found != nil {
			found.outer, found.inner = body, inner
			return found, nil
		}
	}
	return nil, Unusable(response, "the resource server's answer holds no list of rows", nil)
}

func findRows(object rawjson.Object) *list {
	for _, name := range rowNames {
		if rows, ok := rawjson.Elements(object.Get(name)); ok {
			return &list{name: name, rows: rows}
		}
	}
	return nil
}

// get looks a member up beside the rows, then in the outer envelope.
func (l *list) get(name string) json.RawMessage {
	if value := l.inner.Get(name); value != nil {
		return value
	}
	return l.outer.Get(name)
}

func (l *list) text(name string) string {
	text, _ := rawjson.Text(l.get(name))
	return text
}

func (l *list) meta() rawjson.Object {
	meta, _ := rawjson.ParseObject(l.get("meta"))
	return meta
}

// links.next is dropped with the cursor that it carries.
var pagingNames = []string{"next_cursor", "next_changes_since", "links"}

// encode writes the envelope with these rows. Without paging, no member leads past the rows that
// the RS meant to be the whole page.
func (l *list) encode(rows []json.RawMessage, paging bool) json.RawMessage {
	return l.append(make([]byte, 0, l.size(rows)), rows, paging)
}

// append appends what encode writes: the rows of a page are copied once, since they are most of it.
func (l *list) append(out []byte, rows []json.RawMessage, paging bool) []byte {
	writeRows := func(out []byte) []byte { return rawjson.AppendArray(out, rows) }
	if l.inner == nil {
		return appendReplaced(out, l.outer, l.name, paging, writeRows)
	}
	return appendReplaced(out, l.outer, "data", paging, func(out []byte) []byte {
		return appendReplaced(out, l.inner, l.name, paging, writeRows)
	})
}

// appendReplaced appends an object in which the first member of a name has another value.
func appendReplaced(out []byte, object rawjson.Object, name string, paging bool, value func([]byte) []byte) []byte {
	out = append(out, '{')
	replaced, first := false, true
	for _, member := range object {
		if !paging && slices.Contains(pagingNames, member.Name) {
			continue
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		if member.Name == name && !replaced {
			replaced = true
			out = value(append(rawjson.AppendQuote(out, name), ':'))
			continue
		}
		out = member.Append(out)
	}
	return append(out, '}')
}

// size is about how many bytes encode writes.
func (l *list) size(rows []json.RawMessage) int {
	size := 2
	for _, row := range rows {
		size += len(row) + 1
	}
	for _, object := range []rawjson.Object{l.outer, l.inner} {
		for _, member := range object {
			if member.Name != l.name && member.Name != "data" {
				size += len(member.Name) + len(member.Value) + 4
			}
		}
	}
	return size + 2*len(`{"data":{}}`) + len(l.name)
}

// structured is a result's structured object around the envelope with these rows.
func (l *list) structured(response *rs.Response, before rawjson.Object, rows []json.RawMessage, paging bool, after rawjson.Object, calls []Call) json.RawMessage {
	after = closed(response, after, calls)
	out := append(make([]byte, 0, before.Size()+l.size(rows)+after.Size()+len(`{"data":}`)), '{')
	for _, member := range before {
		out = append(member.Append(out), ',')
	}
	out = l.append(append(out, `"data":`...), rows, paging)
	for _, member := range after {
		out = member.Append(append(out, ','))
	}
	return append(out, '}')
}

// Structured is a result's structured object: its own members, then the continuations, then where
// it was read.
func Structured(response *rs.Response, members rawjson.Object, calls []Call) json.RawMessage {
	return closed(response, members, calls).Encode()
}

// closed adds what stands at the end of every structured object.
func closed(response *rs.Response, members rawjson.Object, calls []Call) rawjson.Object {
	if len(calls) > 0 {
		members = append(members, rawjson.Raw("next", Calls(calls)))
	}
	for _, member := range []struct{ name, value string }{
		{"provider_url", tool.ShownURL(response.URL)},
		{"request_id", tool.ShownRequestID(response.RequestID)},
	} {
		if member.value != "" {
			members = append(members, rawjson.String(member.name, member.value))
		}
	}
	return members
}
