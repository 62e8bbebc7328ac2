package refusal

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// place is a name of the schema in a call: an argument, an item of a list, a key of an object, or a part of a record's id.
type place struct {
	argument tool.Argument
	name     string
	put      func(current json.RawMessage, name string) json.RawMessage // the argument's value with another name there
}

// mended writes another name into the arguments.
func (p place) mended(name string) func(rawjson.Object) rawjson.Object {
	return func(arguments rawjson.Object) rawjson.Object {
		return arguments.With(p.argument.Name, p.put(arguments.Get(p.argument.Name), name))
	}
}

// without leaves the name out of the arguments.
func (p place) without(arguments rawjson.Object) rawjson.Object {
	return slices.Clone(arguments).With(p.argument.Name, nil)
}

// places are the names of one kind that the call gives.
func (c call) places(kind tool.Completion) []place {
	var found []place
	for _, argument := range c.Arguments {
		value := c.given.Get(argument.Name)
		text, isText := rawjson.Text(value)
		switch {
		case value == nil:
		case argument.Complete == kind && isText && argument.Type == tool.StringListArgument:
			for i, name := range strings.Split(text, ",") {
				found = append(found, place{argument, strings.TrimSpace(name), func(current json.RawMessage, meant string) json.RawMessage {
					names := strings.Split(rawjson.TextOf(current), ",")
					names[i] = meant
					return rawjson.Quote(strings.Join(names, ","))
				}})
			}
		case argument.Complete == kind && isText:
			found = append(found, place{argument, text, func(_ json.RawMessage, meant string) json.RawMessage { return rawjson.Quote(meant) }})
		case argument.Complete == kind:
			found = append(found, inList(argument, value)...)
		case argument.Type == tool.FilterArgument && kind == tool.CompleteField, argument.Type == tool.LimitsArgument && kind == tool.CompleteRelation:
			found = append(found, inObject(argument, value)...)
		case argument.Complete == tool.CompleteNothing && argument.Values == nil && isText:
			found = append(found, inID(argument, text, kind)...)
		}
	}
	return found
}

func inList(argument tool.Argument, list json.RawMessage) []place {
	var found []place
	items, _ := rawjson.Elements(list)
	for i, item := range items {
		found = append(found, place{argument, rawjson.TextOf(item), func(current json.RawMessage, name string) json.RawMessage {
			items, _ := rawjson.Elements(current)
			items = slices.Clone(items)
			items[i] = rawjson.Quote(name)
			return rawjson.Array(items)
		}})
	}
	return found
}

func inObject(argument tool.Argument, object json.RawMessage) []place {
	var found []place
	members, _ := rawjson.ParseObject(object)
	for i, member := range members {
		found = append(found, place{argument, member.Name, func(current json.RawMessage, name string) json.RawMessage {
			members, _ := rawjson.ParseObject(current)
			members = slices.Clone(members)
			members[i].Name = name
			return members.Encode()
		}})
	}
	return found
}

// inID is the stream or the connection of a record's id.
func inID(argument tool.Argument, id string, kind tool.Completion) []place {
	handle, ok := handleOf(id)
	if !ok {
		return nil
	}
	part := func(h *recordid.Handle) *string {
		if kind == tool.CompleteConnection {
			return &h.ConnectionID
		}
		return &h.Stream
	}
	if kind != tool.CompleteStream && kind != tool.CompleteConnection || *part(&handle) == "" {
		return nil
	}
	return []place{{argument, *part(&handle), func(current json.RawMessage, name string) json.RawMessage {
		mended, _ := handleOf(rawjson.TextOf(current))
		*part(&mended) = name
		return rawjson.Quote(mended.String())
	}}}
}

func handleOf(id string) (recordid.Handle, bool) {
	if uri, err := recordid.ParseURI(id); err == nil {
		return uri.Record, uri.Kind == recordid.KindRecord
	}
	handle, err := recordid.Parse(id)
	return handle, err == nil
}
