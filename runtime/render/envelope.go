package render

import (
	"encoding/json"

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
	change := func(object rawjson.Object, name string, value json.RawMessage) rawjson.Object {
		if !paging {
			object = object.Without(pagingNames...)
		}
		return object.With(name, value)
	}
	if l.inner == nil {
		return change(l.outer, l.name, rawjson.Array(rows)).Encode()
	}
	inner := change(l.inner, l.name, rawjson.Array(rows)).Encode()
	return change(l.outer, "data", inner).Encode()
}

// Structured is a result's structured object: its own members, then the continuations, then where
// it was read.
func Structured(response *rs.Response, members rawjson.Object, calls []Call) json.RawMessage {
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
	return members.Encode()
}
