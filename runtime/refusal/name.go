package refusal

import (
	"encoding/json"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// name is a name of the schema in a call: an argument, an item of a list, a key of an object, or a part of a record's id.
type name struct {
	argument tool.Argument
	text     string
	index    int                            // of the item or the key
	part     func(*recordid.Handle) *string // the part of an id; nil for other names
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
	case n.part != nil:
		handle, _ := handleOf(given)
		*n.part(&handle) = text
		return rawjson.Quote(handle.String())
	case n.argument.Type == tool.StringListArgument:
		names := strings.Split(given, ",")
		names[n.index] = text
		return rawjson.Quote(strings.Join(names, ","))
	}
	return rawjson.Quote(text)
}

// names returns the names of one kind in the call.
func (c call) names(kind tool.Completion) []name {
	var found []name
	for _, argument := range c.Arguments {
		value := c.given.Get(argument.Name)
		var texts []string
		switch text, isText := rawjson.Text(value); {
		case argument.Complete == tool.CompleteRecord:
			found = append(found, inID(argument, text, kind)...)
		case argument.Complete == kind && isText && argument.Type == tool.StringListArgument:
			for each := range strings.SplitSeq(text, ",") {
				texts = append(texts, strings.TrimSpace(each))
			}
		case argument.Complete == kind && isText:
			texts = []string{text}
		case argument.Complete == kind:
			items, _ := rawjson.Elements(value)
			for _, item := range items {
				texts = append(texts, rawjson.TextOf(item))
			}
		case argument.Type == tool.FilterArgument && kind == tool.CompleteField, argument.Type == tool.LimitsArgument && kind == tool.CompleteRelation:
			members, _ := rawjson.ParseObject(value)
			texts = members.Names()
		}
		for i, text := range texts {
			found = append(found, name{argument: argument, text: text, index: i})
		}
	}
	return found
}

// inID returns the stream or the connection in a record's id.
func inID(argument tool.Argument, id string, kind tool.Completion) []name {
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
	if text := *part(&handle); ok && text != "" {
		return []name{{argument: argument, text: text, part: part}}
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
