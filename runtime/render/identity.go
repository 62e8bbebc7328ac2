package render

import (
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// identity is where a record comes from, and the handle by which a model names it (R-HAND-1).
type identity struct {
	connectionID string // empty when unknown
	stream       string
	recordID     string
	handle       string // empty when none can be formed
	formed       bool   // the handle was made of the other parts, so it can be parsed
	embedded     bool   // the handle holds the connection
}

func newIdentity(connectionID, stream, recordID string) identity {
	id := identity{connectionID: connectionID, stream: stream, recordID: recordID}
	whole := recordid.Handle{ConnectionID: connectionID, Stream: stream, RecordID: recordID}
	short := recordid.Handle{Stream: stream, RecordID: recordID}
	handle := whole
	if !whole.CanFormat() && short.CanFormat() { // a connection that the grammar cannot hold stands beside the id
		handle = short
	}
	if id.handle = handle.ID(); id.handle != "" {
		id.formed, id.embedded = true, handle.ConnectionID != ""
	}
	return id
}

// shows reports whether the handle is made of a name and can be seen to be.
func (id identity) shows(name string) bool {
	return id.formed && name != "" && strings.Contains(id.handle, name)
}

// arguments select the record by its handle in a continuation call of a tool that has these names for them.
func (id identity) arguments(handleName, connectionName string) rawjson.Object {
	arguments := append(make(rawjson.Object, 0, argumentsUsual), rawjson.String(handleName, id.handle))
	if id.embedded {
		return arguments
	}
	return withText(arguments, connectionName, id.connectionID)
}

// fieldArguments select the record in a call for one field of it. Where no handle can be formed they are its parts.
func (id identity) fieldArguments() rawjson.Object {
	if id.handle != "" {
		return id.arguments(tool.FieldID, tool.FieldConnectionID)
	}
	arguments := rawjson.Object{rawjson.String(tool.FieldStream, id.stream), rawjson.String(tool.FieldRecordID, id.recordID)}
	return withText(arguments, tool.FieldConnectionID, id.connectionID)
}

// argumentsUsual is how many arguments a continuation has room for at first.
const argumentsUsual = 3

// fetch reads the whole record, or what the other arguments leave of it.
func (id identity) fetch(more ...rawjson.Member) Call {
	arguments := id.arguments(tool.DocumentID, tool.DocumentConnectionID)
	return Call{Tool: tool.DocumentTool, Arguments: append(arguments, more...)}
}

// fetchFields reads some fields of the record only.
func (id identity) fetchFields(names ...string) Call {
	return id.fetch(rawjson.Strings(tool.DocumentFields, names))
}

// readField reads a text field of the record, window by window.
func (id identity) readField(path string, more ...rawjson.Member) Call {
	arguments := append(id.fieldArguments(), rawjson.String(tool.FieldPath, path))
	return Call{Tool: tool.FieldTool, Arguments: append(arguments, more...)}
}

// tokens name the record in text: its handle, and the connection when the handle cannot hold it.
func (id identity) tokens() string {
	switch {
	case id.embedded:
		return Token("id", id.handle)
	case id.handle == "":
		return words(Token("record_id", id.recordID), tokenIf("stream", id.stream), tokenIf("connection_id", id.connectionID))
	}
	return words(Token("id", id.handle), tokenIf("connection_id", id.connectionID))
}

// targetIdentity is the record of a call; its handle is the one that was passed (R-HAND-3), save that
// a URI gives way to the self-contained id (R-WIN-3).
func targetIdentity(target recordid.Target) identity {
	id := newIdentity(deref(target.ConnectionID), target.Stream, target.RecordID)
	if target.Handle != "" && (id.handle == "" || !recordid.IsURI(target.Handle)) {
		id.formed = id.formed && target.Handle == id.handle
		id.embedded = id.embedded && target.Handle == id.handle
		id.handle = target.Handle
	}
	return id
}

// structuredRecord names the record in structured output.
func (id identity) structuredRecord() rawjson.Member {
	record := withText(withText(nil, "id", id.handle), "connection_id", id.connectionID)
	return rawjson.Raw("record", append(record, rawjson.String("stream", id.stream), rawjson.String("record_id", id.recordID)).Encode())
}

// What a tool would refuse is not offered as a continuation (R-HAND-7): a server may send names and ids
// that no call can hold.

// canFetch reports whether fetch takes the record's id.
func (id identity) canFetch() bool {
	if id.formed {
		return id.connectionPasses()
	}
	_, err := recordid.Parse(id.handle)
	return (err == nil || recordid.IsURI(id.handle)) && id.connectionPasses()
}

// canRead reports whether read_record_field takes the record and a path of it.
func (id identity) canRead(path string) bool {
	if recordid.CheckName("field path", path) != nil {
		return false
	}
	if id.handle != "" {
		return id.canFetch()
	}
	return recordid.CheckName("stream", id.stream) == nil && recordid.CheckRecordID("record id", id.recordID) == nil && id.connectionPasses()
}

// connectionPasses reports whether the connection goes along in a call: within the id, beside it, or not at all.
func (id identity) connectionPasses() bool {
	return id.embedded || id.connectionID == "" || recordid.CheckName("connection id", id.connectionID) == nil
}

const namesShown = 20 // fields or relations in one call

// acceptedNames are the names that fields, expand and expand_limit take, no more than are worth naming.
func acceptedNames(names []string) []string {
	var passed []string
	for _, name := range names {
		if len(passed) < namesShown && Length(name) <= tool.LabelCharacters && name != "" && !strings.ContainsAny(name, ",[]") && !strings.ContainsFunc(name, unicode.IsControl) {
			passed = append(passed, name)
		}
	}
	return passed
}
