package refusal

import (
	"encoding/json"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// place is a name of the schema in a call: an argument, an item of a list, a key of an object, or a part of a record's id.
type place struct {
	argument tool.Argument
	name     string
	nth      int                            // item or key
	part     func(*recordid.Handle) *string // of an id; nil for none
}

// mended writes another name into the arguments.
func (p place) mended(name string) func(rawjson.Object) rawjson.Object {
	return func(arguments rawjson.Object) rawjson.Object {
		return arguments.With(p.argument.Name, p.put(arguments.Get(p.argument.Name), name))
	}
}

// put is the argument's value with another name in the place.
func (p place) put(value json.RawMessage, name string) json.RawMessage {
	text := rawjson.TextOf(value)
	items, isList := rawjson.Elements(value)
	members, isObject := rawjson.ParseObject(value)
	switch {
	case isList:
		items[p.nth] = rawjson.Quote(name)
		return rawjson.Array(items)
	case isObject:
		members[p.nth].Name = name
		return members.Encode()
	case p.part != nil:
		handle, _ := handleOf(text)
		*p.part(&handle) = name
		return rawjson.Quote(handle.String())
	case p.argument.Type == tool.StringListArgument:
		names := strings.Split(text, ",")
		names[p.nth] = name
		return rawjson.Quote(strings.Join(names, ","))
	}
	return rawjson.Quote(name)
}

// without leaves the name out of the arguments.
func (p place) without(arguments rawjson.Object) rawjson.Object {
	return arguments.With(p.argument.Name, nil)
}

// places are the names of one kind that the call gives.
func (c call) places(kind tool.Completion) []place {
	var found []place
	for _, argument := range c.Arguments {
		value := c.given.Get(argument.Name)
		text, isText := rawjson.Text(value)
		var names []string
		switch {
		case argument.Complete == kind && isText && argument.Type != tool.StringListArgument:
			names = []string{text}
		case argument.Complete == kind && isText:
			for name := range strings.SplitSeq(text, ",") {
				names = append(names, strings.TrimSpace(name))
			}
		case argument.Complete == kind:
			items, _ := rawjson.Elements(value)
			for _, item := range items {
				names = append(names, rawjson.TextOf(item))
			}
		case argument.Type == tool.FilterArgument && kind == tool.CompleteField, argument.Type == tool.LimitsArgument && kind == tool.CompleteRelation:
			members, _ := rawjson.ParseObject(value)
			names = members.Names()
		case argument.Complete == tool.CompleteNothing && argument.Values == nil && isText:
			found = append(found, inID(argument, text, kind)...)
		}
		for i, name := range names {
			found = append(found, place{argument: argument, name: name, nth: i})
		}
	}
	return found
}

// inID is the stream or the connection of a record's id.
func inID(argument tool.Argument, id string, kind tool.Completion) []place {
	var part func(*recordid.Handle) *string
	switch kind {
	case tool.CompleteConnection:
		part = func(h *recordid.Handle) *string { return &h.ConnectionID }
	case tool.CompleteStream:
		part = func(h *recordid.Handle) *string { return &h.Stream }
	default:
		return nil
	}
	handle, ok := handleOf(id)
	if name := *part(&handle); ok && name != "" {
		return []place{{argument: argument, name: name, part: part}}
	}
	return nil
}

func handleOf(id string) (recordid.Handle, bool) {
	if uri, err := recordid.ParseURI(id); err == nil {
		return uri.Record, uri.Kind == recordid.KindRecord
	}
	handle, err := recordid.Parse(id)
	return handle, err == nil
}
