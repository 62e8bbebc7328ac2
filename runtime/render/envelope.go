package render

import (
	"encoding/json"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// list is a list envelope that is written again, with fewer rows.
type list struct{ rs.List }

// pagingNames lead on from a list. links.next is dropped with the cursor that it carries.
var pagingNames = []string{"has_more", "next_cursor", "next_changes_since", "links"}

// encode writes the envelope with these rows and without what leads past them.
func (l list) encode(rows []json.RawMessage) json.RawMessage {
	return l.append(make([]byte, 0, l.size(rows)), rows, func(member rawjson.Member) json.RawMessage {
		if member.Name != "has_more" && slices.Contains(pagingNames, member.Name) {
			return nil
		}
		return member.Value
	})
}

// append appends the envelope with these rows: they are copied once, since they are most of a page. The other members
// have the value that shown gives for them; nil leaves one out.
func (l list) append(out []byte, rows []json.RawMessage, shown func(rawjson.Member) json.RawMessage) []byte {
	writeRows := func(out []byte) []byte { return rawjson.AppendArray(out, rows) }
	if l.Inner == nil {
		return appendReplaced(out, l.Outer, l.RowsName, shown, writeRows)
	}
	return appendReplaced(out, l.Outer, "data", shown, func(out []byte) []byte {
		return appendReplaced(out, l.Inner, l.RowsName, shown, writeRows)
	})
}

// appendReplaced appends an object in which the first member of a name has another value.
func appendReplaced(out []byte, object rawjson.Object, name string, shown func(rawjson.Member) json.RawMessage, value func([]byte) []byte) []byte {
	out = append(out, '{')
	replaced, first := false, true
	for _, member := range object {
		isRows := member.Name == name && !replaced
		if !isRows {
			if member.Value = shown(member); member.Value == nil {
				continue
			}
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		if isRows {
			replaced = true
			out = value(append(rawjson.AppendQuote(out, name), ':'))
			continue
		}
		out = member.Append(out)
	}
	return append(out, '}')
}

// size is about how many bytes encode writes.
func (l list) size(rows []json.RawMessage) int {
	size := 2
	for _, row := range rows {
		size += len(row) + 1
	}
	for _, object := range []rawjson.Object{l.Outer, l.Inner} {
		for _, member := range object {
			if member.Name != l.RowsName && member.Name != "data" {
				size += len(member.Name) + len(member.Value) + 4
			}
		}
	}
	return size + 2*len(`{"data":{}}`) + len(l.RowsName)
}

// structured is a result's structured object around the envelope with these rows.
func (l list) structured(response *rs.Response, before rawjson.Object, rows []json.RawMessage, after rawjson.Object, on wayOn) json.RawMessage {
	after = closed(response, after, on.calls)
	l = on.state(l)
	size := before.Size() + l.size(rows) + after.Size() + len(on.cursor) + len(`{"data":"has_more":false}`)
	out := append(make([]byte, 0, size), '{')
	for _, member := range before {
		out = append(member.Append(out), ',')
	}
	out = l.append(append(out, `"data":`...), rows, on.member)
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
		{"provider_url", tool.ProviderOrigin(response.URL)},
		{"request_id", tool.ShownRequestID(response.RequestID)},
	} {
		if member.value != "" {
			members = append(members, rawjson.String(member.name, member.value))
		}
	}
	return members
}
