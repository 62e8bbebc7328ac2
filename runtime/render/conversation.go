package render

import (
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Members with the call that reads the conversation or the neighbours of a record.
const (
	conversationName = "conversation"
	nearName         = "near"
	beforeName       = "before"
	afterName        = "after"
)

// Maximum distance in time between a record and its neighbours in a conversation without an end, and in a stream.
const (
	nearInChannel = time.Hour
	nearInStream  = 12 * time.Hour
)

// conversation selects the records of a stream that belong together.
type conversation struct {
	filter rawjson.Object
	reach  time.Duration // before and after a record; 0: the conversation has an end
	side   string        // of a record: beforeName or afterName; empty: both
}

// conversationsOf returns the conversations that a record belongs to, the narrowest first.
func conversationsOf(fields rawjson.Object) []conversation {
	var found []conversation
	for _, known := range tool.Conversations {
		id := tool.Role{Fields: known.Fields}.Field(fields)
		with := fields.Get(known.With)
		if !isScalar(id.Value) || with != nil && !isScalar(with) {
			continue
		}
		one := conversation{filter: rawjson.Object{id}, reach: time.Duration(known.NearHours) * time.Hour}
		if with != nil { // otherwise the stream has no such field, and the value alone names the conversation
			one.filter = append(one.filter, rawjson.Raw(known.With, with))
		}
		found = append(found, one)
	}
	return found
}

// isScalar reports whether a filter can compare a value.
func isScalar(value rawjson.Value) bool {
	kind := rawjson.Kind(value)
	return len(value) <= tool.LabelCharacters && (kind == rawjson.StringValue || kind == rawjson.Number)
}

// conversationCalls returns members with the call that reads the conversation of a record, and the call that reads its
// neighbours there. Without a conversation, the neighbours are those in its stream (R-FIND-3).
func (id identity) conversationCalls(fields rawjson.Object) rawjson.Object {
	all := conversationsOf(fields)
	if len(all) == 0 {
		return withCall(nil, nearName, id.readNear(fields, conversation{reach: nearInStream}))
	}
	narrowest, widest := all[0], all[len(all)-1]
	calls := withCall(nil, conversationName, id.readNear(fields, narrowest))
	if widest.reach > 0 {
		widest.reach = nearInChannel
		return withCall(calls, nearName, id.readNear(fields, widest))
	}
	for _, side := range []string{beforeName, afterName} { // a range of time would be too wide or too narrow
		widest.side = side
		calls = withCall(calls, side, id.readNear(fields, widest))
	}
	return calls
}

// withCall appends a member with the only call, if there is one.
func withCall(object rawjson.Object, name string, calls []answer.Call) rawjson.Object {
	for _, call := range calls {
		object = append(object, rawjson.Raw(name, structuredCall(call)))
	}
	return object
}

// readNear returns the call that reads a conversation around the time of the record. It returns nil if the record has
// no usable time.
func (id identity) readNear(fields rawjson.Object, one conversation) []answer.Call {
	if recordid.CheckName(wire.Stream, id.stream) != nil || id.connectionID != "" && recordid.CheckName("connection id", id.connectionID) != nil {
		return nil
	}
	when := tool.TimeRole.Field(fields)
	filter, order := one.filter, "asc"
	if one.reach > 0 || one.side != "" {
		text := TimeText(when.Value)
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			at, err = time.Parse(time.DateOnly, text)
		}
		if err != nil {
			return nil
		}
		bound := func(name string, at time.Time) rawjson.Member {
			return rawjson.String(name, at.UTC().Format(time.RFC3339Nano))
		}
		within := rawjson.Object{bound("gte", at.Add(-one.reach)), bound("lte", at.Add(one.reach))}
		switch one.side {
		case beforeName:
			within, order = rawjson.Object{bound("lte", at)}, "desc"
		case afterName:
			within = rawjson.Object{bound("gte", at)}
		}
		filter = append(slices.Clone(filter), rawjson.Raw(when.Name, within.Encode()))
	}
	arguments := withText(rawjson.Object{rawjson.String(tool.RecordsStream, id.stream)}, tool.RecordsConnectionID, id.connectionID)
	arguments = append(arguments, rawjson.Raw(tool.RecordsFilter, filter.Encode()), rawjson.String(tool.RecordsOrder, order))
	if names := acceptedNames(roleFields(fields)); len(names) > 0 {
		arguments = append(arguments, rawjson.Strings(tool.RecordsFields, names))
	}
	return []answer.Call{{Tool: tool.RecordsTool, Arguments: arguments}}
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
