package refusal

import (
	"encoding/json"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// name is a name of the schema in a call: an argument, an item of a list, a key of an object, or a part of a record's
// id.
type name struct {
	argument tool.Argument
	kind     tool.Completion
	text     string
	index    int // of the item or the key
}

// replace returns the argument's value with another text for this name.
func (n name) replace(value json.RawMessage, text string) json.RawMessage {
	given := rawjson.TextOf(value)
	items, isList := rawjson.Elements(value)
	members, isObject := rawjson.ParseObject(value)
	switch {
	case isList:
		items[n.index] = rawjson.Quote(text)
		return rawjson.Array(items)
	case isObject:
		members[n.index].Name = text
		return members.Encode()
	case n.argument.Complete == tool.CompleteRecord:
		handle, _ := handleOf(given)
		if n.kind == tool.CompleteConnection {
			handle.ConnectionID = text
		} else {
			handle.Stream = text
		}
		return rawjson.Quote(handle.String())
	case n.argument.Type == tool.StringListArgument:
		names := strings.Split(given, ",")
		names[n.index] = text
		return rawjson.Quote(strings.Join(names, ","))
	}
	return rawjson.Quote(text)
}

// namesOf returns the names of one kind in the call.
func (c call) namesOf(kind tool.Completion) []name {
	var found []name
	for _, argument := range c.Arguments {
		for i, text := range textsOf(argument, c.given.Get(argument.Name), kind) {
			found = append(found, name{argument, kind, text, i})
		}
	}
	return found
}

// textsOf returns the names of one kind in the value of an argument. A record's id has those of a connection and a
// stream.
func textsOf(argument tool.Argument, value json.RawMessage, kind tool.Completion) []string {
	text, isText := rawjson.Text(value)
	items, _ := rawjson.Elements(value)
	members, _ := rawjson.ParseObject(value)
	var texts []string
	switch handle, isHandle := handleOf(text); {
	case argument.Complete == tool.CompleteRecord && kind == tool.CompleteConnection && handle.ConnectionID != "":
		return []string{handle.ConnectionID}
	case argument.Complete == tool.CompleteRecord && kind == tool.CompleteStream && isHandle:
		return []string{handle.Stream}
	case argument.Type == tool.FilterArgument && kind == tool.CompleteField, argument.Type == tool.LimitsArgument && kind == tool.CompleteRelation:
		return members.Names()
	case argument.Complete != kind:
		return nil
	case isText && argument.Type == tool.StringListArgument:
		for each := range strings.SplitSeq(text, ",") {
			texts = append(texts, strings.TrimSpace(each))
		}
	case isText:
		return []string{text}
	}
	for _, item := range items {
		texts = append(texts, rawjson.TextOf(item))
	}
	return texts
}

func handleOf(id string) (recordid.Handle, bool) {
	if uri, err := recordid.ParseURI(id); err == nil {
		return uri.Record, uri.Kind == recordid.KindRecord
	}
	handle, err := recordid.Parse(id)
	return handle, err == nil
}
