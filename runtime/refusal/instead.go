package refusal

import (
	"net/url"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// instead is what the call has to say in place of what the adapter refused before any read, as far as that is certain. It is
// nil when it is not.
func (c call) instead(own *tool.Error) rawjson.Object {
	i := slices.IndexFunc(c.Arguments, func(a tool.Argument) bool { return a.Name == own.Param })
	switch {
	case own.Instead != nil:
		return own.Instead
	case own.Code == tool.UnknownArgument:
		return c.oneID()
	case i < 0:
		return nil
	case own.Code == tool.InvalidExpand && c.Arguments[i].Complete == tool.CompleteRelation:
		return c.withoutRelations()
	case own.Code != tool.InvalidID:
		return nil
	}
	argument, text := c.Arguments[i], rawjson.TextOf(c.given.Get(own.Param))
	switch {
	case argument.Complete == tool.CompleteStream && argument.Type == tool.StringArgument:
		return c.streamOf(argument, text)
	case argument.Complete != tool.CompleteNothing:
		return nil
	case argument.Name == tool.FieldRecordID:
		if _, isHandle := handleOf(text); isHandle {
			return rawjson.Object{{Name: argument.Name}, {Name: tool.FieldStream}, rawjson.String(tool.FieldID, text)}
		}
	default:
		if id := idOf(text); id != "" {
			return rawjson.Object{rawjson.String(argument.Name, id)}
		}
	}
	return nil
}

// withoutRelations leaves out all that is to be expanded.
func (c call) withoutRelations() rawjson.Object {
	var instead rawjson.Object
	for _, argument := range c.Arguments {
		if argument.Complete == tool.CompleteRelation || argument.Type == tool.LimitsArgument {
			instead = append(instead, rawjson.Member{Name: argument.Name})
		}
	}
	return instead
}

// oneID makes one id of a stream and a record's id, for a tool that takes them together.
func (c call) oneID() rawjson.Object {
	stream, record := c.given.Text(tool.FieldStream), c.given.Text(tool.FieldRecordID)
	takes := func(name string) bool {
		return slices.ContainsFunc(c.Arguments, func(a tool.Argument) bool { return a.Name == name })
	}
	if stream == "" || record == "" || takes(tool.FieldStream) || !takes(tool.DocumentID) || c.given.Get(tool.DocumentID) != nil {
		return nil
	}
	id := recordid.Handle{Stream: stream, RecordID: record}.ID()
	if id == "" {
		return nil
	}
	return rawjson.Object{{Name: tool.FieldStream}, {Name: tool.FieldRecordID}, rawjson.String(tool.DocumentID, id)}
}

// idOf is the id of a record that a text names in another way: by its address, by a path, or by a URI that is not encoded. It
// is empty when the text names none.
func idOf(text string) string {
	if address, err := url.Parse(text); err == nil {
		if _, path, found := strings.Cut(address.Path, "/v1/streams/"); found {
			if parts := strings.Split(path, "/"); len(parts) >= 3 && parts[1] == "records" {
				return recordid.Handle{ConnectionID: address.Query().Get("connection_id"), Stream: parts[0], RecordID: parts[2]}.ID()
			}
		}
	}
	text = strings.TrimPrefix(text, "pdpp://record/")
	if _, isHandle := handleOf(text); isHandle {
		return text
	}
	if strings.Contains(text, ":") {
		return ""
	}
	switch parts := strings.Split(text, "/"); len(parts) {
	case 2:
		return recordid.Handle{Stream: parts[0], RecordID: parts[1]}.ID()
	case 3:
		return recordid.Handle{ConnectionID: parts[0], Stream: parts[1], RecordID: parts[2]}.ID()
	}
	return ""
}

// streamOf takes the stream, and the connection where there is one, out of a text that names more than a stream: a URI, the
// id of a record, or a path.
func (c call) streamOf(argument tool.Argument, text string) rawjson.Object {
	var handle recordid.Handle
	if uri, err := recordid.ParseURI(text); err == nil {
		handle = uri.Record
		if uri.Kind == recordid.KindStream {
			handle.Stream = uri.Stream
		}
	} else if handle, err = recordid.Parse(text); err != nil {
		handle.ConnectionID, handle.Stream, _ = strings.Cut(text, "/")
	}
	if recordid.CheckName(argument.Name, handle.Stream) != nil {
		return nil
	}
	instead := rawjson.Object{rawjson.String(argument.Name, handle.Stream)}
	for _, other := range c.Arguments {
		if other.Complete == tool.CompleteConnection && c.given.Get(other.Name) == nil && handle.ConnectionID != "" {
			instead = append(instead, rawjson.String(other.Name, handle.ConnectionID))
		}
	}
	return instead
}
