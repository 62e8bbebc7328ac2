package render

import (
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Members with the calls that read what a record belongs to.
const (
	conversationName = "conversation"
	nearName         = "near"
	relatedName      = "related"
)

const (
	neighbours = 10 // rows on each side of a record
	maxRelated = 5  // calls
)

// conversation selects the records of a stream that belong together.
type conversation struct {
	filter rawjson.Object
	reach  time.Duration // before and after a record; 0: the conversation has an end
	root   string        // the id of the record that the others answer; empty: the filter selects all of them
}

// conversationsOf returns the conversations that a record belongs to, the narrowest first. The one of a declared
// relation of the stream with itself is before those with a known field.
func (id identity) conversationsOf(fields rawjson.Object, links []schemadoc.Link) []conversation {
	var found []conversation
	for _, link := range links {
		if link.Child == link.Parent {
			found = id.withThread(found, fields, tool.Conversation{Fields: []string{link.Field}, Replies: countNames(link.Name)})
		}
	}
	for _, known := range tool.Conversations {
		if len(known.Replies) > 0 {
			if len(found) == 0 {
				found = id.withThread(found, fields, known)
			}
			continue
		}
		key := tool.Role{Fields: known.Fields}.Field(fields)
		with := fields.Get(known.With)
		if !isScalar(key.Value) || with != nil && !isScalar(with) {
			continue
		}
		one := conversation{filter: rawjson.Object{key}, reach: time.Duration(known.NearHours) * time.Hour}
		if with != nil { // otherwise the stream has no such field, and the value alone names the conversation
			one.filter = append(one.filter, rawjson.Raw(known.With, with))
		}
		found = append(found, one)
	}
	return found
}

// withThread appends the conversation of a record and its replies, which hold its id. A record that is not a reply may
// have replies, unless a field says that it has none.
func (id identity) withThread(
	found []conversation, fields rawjson.Object, known tool.Conversation,
) []conversation {
	for _, name := range known.Fields {
		value := fields.Get(name)
		root := scalarText(value)
		switch {
		case root != "" && root != id.recordID:
			return append(found, conversation{filter: rawjson.Object{rawjson.Raw(name, value)}, root: root})
		case value == nil && hasName(fields, name) && id.recordID != "" && !saysNone(fields, known.Replies):
			return append(found, conversation{filter: rawjson.Object{rawjson.String(name, id.recordID)}, root: id.recordID})
		}
	}
	return found
}

// countNames returns the fields that say how many records of a relation a record has.
func countNames(relation string) []string {
	return []string{"has_" + relation, schemadoc.Singular(relation) + "_count"}
}

// saysNone reports whether one of the fields says that there are no related records.
func saysNone(fields rawjson.Object, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		value := string(fields.Get(name))
		return value == "0" || value == "false"
	})
}

// isScalar reports whether a filter can compare a value.
func isScalar(value rawjson.Value) bool { return scalarText(value) != "" }

// scalarText returns the text of a value that a filter can compare, otherwise "".
func scalarText(value rawjson.Value) string {
	text, isText := rawjson.Text(value)
	if rawjson.Kind(value) == rawjson.Number {
		text, isText = string(value), true
	}
	if !isText || len(value) > tool.LabelCharacters {
		return ""
	}
	return text
}

// conversationCalls returns members with the calls that read the conversation of a record, and its neighbours there.
// Without a conversation, the neighbours are those in its stream (R-FIND-3).
func (id identity) conversationCalls(found *answer.Document, fields rawjson.Object) rawjson.Object {
	all := id.conversationsOf(fields, found.Links)
	widest := conversation{}
	var calls rawjson.Object
	if len(all) > 0 {
		calls = withCalls(calls, conversationName, id.readConversation(fields, all[0]))
		if last := all[len(all)-1]; last.root == "" { // otherwise the filter leaves out the root
			widest = last
		}
	}
	calls = withCalls(calls, nearName, id.readNear(fields, found.TimeField, widest))
	return withCalls(calls, relatedName, id.readRelated(fields, found.Links, all))
}

// readConversation returns the calls that together read a conversation, without the record itself if it is the root.
func (id identity) readConversation(fields rawjson.Object, one conversation) []answer.Call {
	filter := one.filter
	if one.reach > 0 {
		when := tool.TimeRole.Field(fields)
		at, isTime := instantOf(when.Value)
		if !isTime {
			return nil
		}
		bound := func(name string, at time.Time) rawjson.Member {
			return rawjson.String(name, at.UTC().Format(time.RFC3339Nano))
		}
		within := rawjson.Object{bound("gte", at.Add(-one.reach)), bound("lte", at.Add(one.reach))}
		filter = append(slices.Clone(filter), rawjson.Raw(when.Name, within.Encode()))
	}
	calls := id.readRows(fields, filter, "asc")
	if one.root == "" {
		return calls
	}
	calls = answer.Replies.As(calls...)
	if root := newIdentity(id.connectionID, id.stream, one.root); one.root != id.recordID && root.canFetch() {
		calls = append(answer.Root.As(root.fetch()), calls...)
	}
	return calls
}

// readNear returns the calls that read the records just before and after a record in a conversation, each from the
// record on: a range of time would be too wide or too narrow. It returns nil if the record has no usable time.
func (id identity) readNear(fields rawjson.Object, timeField string, one conversation) []answer.Call {
	when := tool.TimeRole.Field(fields)
	if value := fields.Get(timeField); isScalar(value) {
		when = rawjson.Raw(timeField, value)
	}
	if _, isTime := instantOf(when.Value); !isTime {
		return nil
	}
	var calls []answer.Call
	for _, side := range []struct {
		kind            answer.CallKind
		operator, order string
	}{{answer.Before, "lte", "desc"}, {answer.After, "gte", "asc"}} {
		bound := rawjson.Object{rawjson.Raw(side.operator, when.Value)}
		filter := append(slices.Clone(one.filter), rawjson.Raw(when.Name, bound.Encode()))
		rows := id.readRows(fields, filter, side.order, rawjson.Int(tool.RecordsLimit, neighbours))
		calls = append(calls, side.kind.As(rows...)...)
	}
	return calls
}

// instantOf returns the instant that a value means, as a time or a date.
func instantOf(value rawjson.Value) (at time.Time, isTime bool) {
	text := TimeText(value)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse(time.DateOnly, text)
	}
	return at, err == nil
}

// readRelated returns the calls for the records that have the id of a record, and for those whose ids the record has,
// unless a conversation is made of them.
func (id identity) readRelated(fields rawjson.Object, links []schemadoc.Link, known []conversation) []answer.Call {
	var calls []answer.Call
	isKnown := func(field string) bool {
		return slices.ContainsFunc(known, func(one conversation) bool { return one.filter.Get(field) != nil })
	}
	for _, link := range links {
		switch {
		case link.Child == link.Parent:
		case link.Parent == id.stream && !saysNone(fields, countNames(link.Name)) && !strings.HasPrefix(id.recordID, "["):
			of := identity{connectionID: id.connectionID, stream: link.Child}
			calls = append(calls, of.readRows(nil, rawjson.Object{rawjson.String(link.Field, id.recordID)}, "")...)
		case link.Child == id.stream && !isKnown(link.Field):
			parent := newIdentity(id.connectionID, link.Parent, scalarText(fields.Get(link.Field)))
			if parent.recordID != "" && parent.canFetch() {
				calls = append(calls, answer.CallKind("").As(parent.fetch())...)
			}
		}
	}
	return calls[:min(len(calls), maxRelated)]
}

// readRows returns the call that reads rows of the stream, with the fields that say what they are. It returns nil if
// the stream cannot be an argument.
func (id identity) readRows(fields, filter rawjson.Object, order string, more ...rawjson.Member) []answer.Call {
	isNamed := id.connectionID == "" || recordid.CheckName("connection id", id.connectionID) == nil
	if recordid.CheckName(wire.Stream, id.stream) != nil || !isNamed {
		return nil
	}
	arguments := rawjson.Object{rawjson.String(tool.RecordsStream, id.stream)}
	arguments = withText(arguments, tool.RecordsConnectionID, id.connectionID)
	arguments = withText(append(arguments, rawjson.Raw(tool.RecordsFilter, filter.Encode())), tool.RecordsOrder, order)
	if names := acceptedNames(roleFields(fields)); len(names) > 0 {
		arguments = append(arguments, rawjson.Strings(tool.RecordsFields, names))
	}
	return []answer.Call{{Tool: tool.RecordsTool, Arguments: append(arguments, more...)}}
}

func roleFields(fields rawjson.Object) []string {
	var names []string
	for _, role := range []tool.Role{tool.TimeRole, tool.AuthorRole, tool.TitleRole, tool.TextRole, tool.AmountRole} {
		if name := role.Field(fields).Name; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
