package refusal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/call/argument"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// corrections returns the corrected arguments of a call that the adapter refused before any read. Each element belongs
// to a separate call. It returns nil if no correction is certain.
func (c call) corrections(own *tool.Error) []rawjson.Object {
	var correction rawjson.Object
	switch wrong := c.argument(own.Param); {
	case own.Instead != nil:
		return own.Instead
	case own.Code == tool.UnknownArgument && own.DidYouMean != "":
		return c.renamed(own)
	case own.Code == tool.UnknownArgument:
		correction = c.oneID()
	case own.Code == tool.InvalidID && wrong != nil:
		correction = c.otherID(*wrong, c.given.Text(own.Param))
	}
	if correction == nil {
		return nil
	}
	return []rawjson.Object{correction}
}

// renamed returns the corrections of an unknown argument name. A list for an argument that takes one string becomes a
// call for each string.
func (c call) renamed(own *tool.Error) []rawjson.Object {
	value := c.given.Get(own.Param)
	calls := []rawjson.Object{{rawjson.Raw(own.DidYouMean, value)}}
	if items, isList := rawjson.Elements(value); isList && len(items) != 1 && c.argument(own.DidYouMean).Type == tool.StringArgument {
		calls = argument.Strings(own.DidYouMean, value)
	}
	for i := range calls {
		calls[i] = append(calls[i], rawjson.Member{Name: own.Param})
	}
	return calls
}

// otherID returns the correction of a text that does not name the stream or the record that the argument takes.
func (c call) otherID(wrong tool.Argument, text string) rawjson.Object {
	switch {
	case wrong.Complete == tool.CompleteStream && wrong.Type == tool.StringArgument:
		return c.streamOf(wrong, text)
	case wrong.Complete == tool.CompleteRecord:
		if id := idOf(text); id != "" {
			return rawjson.Object{rawjson.String(wrong.Name, id)}
		}
	case wrong.Name == tool.FieldRecordID:
		instead := rawjson.Object{{Name: wrong.Name}, {Name: tool.FieldStream}}
		if _, isHandle := handleOf(text); isHandle {
			return append(instead, rawjson.String(tool.FieldID, text))
		}
		handle := recordid.Handle{
			ConnectionID: c.given.Text(tool.FieldConnectionID), Stream: c.given.Text(tool.FieldStream), RecordID: text,
		}
		if id := handle.ID(); id != "" {
			return append(instead, rawjson.Member{Name: tool.FieldConnectionID}, rawjson.String(tool.FieldID, id))
		}
	}
	return nil
}

// oneID joins a stream and a record's key into the id that the tool takes.
func (c call) oneID() rawjson.Object {
	handle := recordid.Handle{Stream: c.given.Text(tool.FieldStream), RecordID: c.given.Text(tool.FieldRecordID)}
	id := handle.ID()
	if id == "" || c.argument(tool.FieldStream) != nil || c.argument(tool.DocumentID) == nil || c.given.Get(tool.DocumentID) != nil {
		return nil
	}
	return rawjson.Object{{Name: tool.FieldStream}, {Name: tool.FieldRecordID}, rawjson.String(tool.DocumentID, id)}
}

// idOf returns the id of a record that a text names by its URL, by a path, or by a URI that is not encoded. It returns
// an empty string for any other text, such as a record's own key.
func idOf(text string) string {
	id := strings.TrimPrefix(text, "pdpp://record/")
	address, err := url.Parse(text)
	if err != nil {
		address = &url.URL{}
	}
	_, path, isURL := strings.Cut(address.Path, "/v1/streams/")
	steps, parts := strings.Split(path, "/"), strings.Split(id, "/")
	switch _, isHandle := handleOf(id); {
	case json.Valid([]byte(text)): // a key of several fields
	case isURL && len(steps) >= 3 && steps[1] == "records":
		return recordid.Handle{ConnectionID: address.Query().Get(wire.ConnectionID), Stream: steps[0], RecordID: steps[2]}.ID()
	case isHandle:
		return id
	case strings.Contains(id, ":"): // such as repositories:owner/repo
		handle, _ := recordid.ParseSlashed(id)
		return handle.ID()
	case len(parts) == 2:
		return recordid.Handle{Stream: parts[0], RecordID: parts[1]}.ID()
	case len(parts) == 3:
		return recordid.Handle{ConnectionID: parts[0], Stream: parts[1], RecordID: parts[2]}.ID()
	}
	return ""
}

// streamOf returns the stream of a URI, a record's id or a path, and its connection if it has one.
func (c call) streamOf(wrong tool.Argument, text string) rawjson.Object {
	handle, err := recordid.Parse(text)
	if uri, invalid := recordid.ParseURI(text); invalid == nil {
		handle, err = uri.Record, nil
		handle.Stream = cmp.Or(uri.Stream, handle.Stream)
	}
	if err != nil {
		handle.ConnectionID, handle.Stream, _ = strings.Cut(text, "/")
	}
	if recordid.CheckName(wrong.Name, handle.Stream) != nil {
		return nil
	}
	instead := rawjson.Object{rawjson.String(wrong.Name, handle.Stream)}
	if connection := c.connectionArgument(); connection != nil && c.given.Get(connection.Name) == nil && handle.ConnectionID != "" {
		instead = append(instead, rawjson.String(connection.Name, handle.ConnectionID))
	}
	return instead
}

// maxCandidates limits the calls in a refusal, one for each connection. With more connections, the caller chooses by
// label.
const maxCandidates = 4

// connectionCalls returns the same call for each candidate connection of an ambiguous call, with its label (R-ERR-5).
// It returns nil if the refusal offers none or more than maxCandidates, or if the call named one.
func (c call) connectionCalls(err error) json.RawMessage {
	argument, offered := c.connectionArgument(), offeredBy(err)
	if argument == nil || c.given.Get(argument.Name) != nil || len(offered) == 0 || len(offered) > maxCandidates {
		return nil
	}
	var calls []json.RawMessage
	for _, each := range offered {
		candidate, _ := rawjson.ParseObject(each)
		id := candidate.Text(wire.ConnectionID)
		if id == "" {
			return nil
		}
		call := c.call(rawjson.Object{rawjson.String(argument.Name, id)})
		calls = append(calls, append(call, rawjson.Texts("label", candidate.Text("display_name"))...).Encode())
	}
	return rawjson.Array(calls)
}

func (c call) connectionArgument() *tool.Argument {
	return c.find(func(a tool.Argument) bool { return a.Complete == tool.CompleteConnection })
}

// offeredBy returns the candidates of an ambiguous call.
func offeredBy(err error) []json.RawMessage {
	var own *tool.Error
	var refused *rs.Error
	var offered json.RawMessage
	switch {
	case errors.As(err, &own) && own.Code == tool.AmbiguousConnection:
		offered = own.AvailableConnections
	case errors.As(err, &refused) && refused.Code == string(tool.AmbiguousConnection):
		envelope, _ := rawjson.ParseObject(refused.Envelope)
		offered = envelope.Get("available_connections")
	}
	candidates, _ := rawjson.Elements(offered)
	return candidates
}

// callsWith returns one call for each set of replaced arguments, in the form of continuations.
func (c call) callsWith(replacements ...rawjson.Object) json.RawMessage {
	var calls []json.RawMessage
	for _, replaced := range replacements {
		calls = append(calls, c.call(replaced).Encode())
	}
	return rawjson.Array(calls)
}

// call returns the call with some arguments replaced. An argument with a nil value is left out.
func (c call) call(replaced rawjson.Object) rawjson.Object {
	arguments := slices.Clone(c.given)
	for _, member := range replaced {
		arguments = arguments.With(member.Name, distinct(member.Value))
	}
	arguments = slices.DeleteFunc(arguments, func(m rawjson.Member) bool { return m.Value == nil })
	return rawjson.Object{rawjson.String("tool", c.Name), rawjson.Raw("arguments", arguments.Encode())}
}

// distinct removes repeated items from a list: a corrected name may repeat another one. It returns any other value
// unchanged.
func distinct(value json.RawMessage) json.RawMessage {
	items, isList := rawjson.Elements(value)
	if !isList {
		return value
	}
	var once []json.RawMessage
	for _, item := range items {
		if !slices.ContainsFunc(once, func(other json.RawMessage) bool { return bytes.Equal(item, other) }) {
			once = append(once, item)
		}
	}
	return rawjson.Array(once)
}
