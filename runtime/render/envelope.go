package render

import (
	"encoding/json"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// list is a list envelope that is written again around other rows.
type list struct{ rs.List }

// pagingNames lead on from a list. They are written from a wayOn.
var pagingNames = []string{"has_more", "next_cursor", "next_changes_since"}

// around are the members of the envelope beside its rows, without what says nothing or is of no use to a client (R-BUD-7),
// and with what a way on says of paging; nil for a list that no call pages, which says no more than whether there is more.
func (l list) around(on *wayOn) rawjson.Object {
	around := rawjson.Object{}
	for _, envelope := range []rawjson.Object{l.Inner, l.Outer} {
		for _, member := range envelope {
			isRows := member.Name == l.RowsName || member.Name == "data"
			if !isRows && !slices.Contains(pagingNames, member.Name) && around.Get(member.Name) == nil {
				around = append(around, telling(rawjson.Object{member})...)
			}
		}
	}
	if on == nil {
		if more := l.Get("has_more"); more != nil {
			around = append(around, rawjson.Raw("has_more", more))
		}
		return around
	}
	around = append(around, rawjson.Bool("has_more", on.hasMore()))
	around = withText(around, "next_cursor", on.cursor)
	if bookmark := l.Get("next_changes_since"); bookmark != nil && on.whole {
		around = append(around, rawjson.Raw("next_changes_since", bookmark))
	}
	return around
}

// telling are the members of an envelope that tell a client something: no null, no kind that the tool says, no REST route, no empty
// list of warnings, and no count that was not asked for.
func telling(envelope rawjson.Object) rawjson.Object {
	kept := make(rawjson.Object, 0, len(envelope))
	for _, member := range envelope {
		if member.Name == "meta" {
			if meta, ok := rawjson.ParseObject(member.Value); ok {
				if warnings, ok := rawjson.Elements(meta.Get("warnings")); ok && len(warnings) == 0 {
					meta = meta.Without("warnings")
				}
				if count, ok := rawjson.ParseObject(meta.Get("count")); ok && count.Text("kind") == countNone {
					meta = meta.Without("count")
				}
				if member.Value = meta.Encode(); len(meta) == 0 {
					continue
				}
			}
		}
		if rawjson.Kind(member.Value) != rawjson.Null && !slices.Contains([]string{"object", "links", "url"}, member.Name) {
			kept = append(kept, member)
		}
	}
	return kept
}

// withText is an object with a text behind its members, unless that is empty.
func withText(object rawjson.Object, name, text string) rawjson.Object {
	if text == "" {
		return object
	}
	return append(object, rawjson.String(name, text))
}

// Structured is a result's structured object: its own members, then the continuations, then where
// it was read.
func Structured(response *rs.Response, members rawjson.Object, calls []Call) json.RawMessage {
	return closed(response, members, calls).Encode()
}

// closed adds what stands at the end of every structured object. The RS's request id is in errors and windows only (R-ERR-1,
// R-WIN-2), where somebody may ask for it.
func closed(response *rs.Response, members rawjson.Object, calls []Call) rawjson.Object {
	if len(calls) > 0 {
		members = append(members, rawjson.Raw("next", Calls(calls)))
	}
	return withText(members, "provider_url", tool.ProviderOrigin(response.URL))
}

// opening begins a structured object that ends in a list of rows: its members, then data with what it holds beside the rows,
// unless that is nil, and the name of the list.
func opening(members, data rawjson.Object, rows string) []byte {
	out := append(make([]byte, 0, members.Size()+data.Size()+64), '{')
	for _, member := range members {
		out = append(member.Append(out), ',')
	}
	if data != nil {
		out = append(out, `"data":{`...)
		for _, member := range data {
			out = append(member.Append(out), ',')
		}
	}
	return append(rawjson.AppendQuote(out, rows), ":["...)
}

// closing ends what opening began, from the brackets that close the rows on.
func closing(brackets string, members rawjson.Object) []byte {
	out := append(make([]byte, 0, len(brackets)+members.Size()+1), brackets...)
	for _, member := range members {
		out = member.Append(append(out, ','))
	}
	return append(out, '}')
}
