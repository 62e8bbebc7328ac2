package argument

import (
	"encoding/json"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// TargetInput has the arguments that can name one record. A tool may lack Stream and RecordID.
type TargetInput struct {
	ID           tool.NamedArgument[string]
	ConnectionID tool.NamedArgument[string]
	Stream       tool.NamedArgument[string]
	RecordID     tool.NamedArgument[string]
}

// ResolveTarget returns the record that a call names, by id or by stream and record_id (R-ARG-9). Its error is a *tool.Error:
// invalid_field_window_selector if both or neither are given, invalid_id for an id that is not a record handle, and
// conflicting_connection_id if the id names another connection than connection_id (R-HAND-4).
func ResolveTarget(input TargetInput) (recordid.Target, error) {
	id, stream, record := input.ID, input.Stream, input.RecordID
	switch {
	case id.Given() && (stream.Given() || record.Given()):
		return recordid.Target{}, &tool.Error{
			Code: tool.InvalidFieldWindowSelector,
			Message: fmt.Sprintf("%[1]s and %[2]s with %[3]s both name the record; pass %[1]s alone, or %[2]s and %[3]s without %[1]s",
				id.Name, stream.Name, record.Name),
			Param:   id.Name,
			Instead: input.namedOnce(),
		}
	case id.Given():
		return input.byID()
	case stream.Given() && record.Given():
		return input.byParts()
	}
	missing := id.Name
	if stream.Given() {
		missing = record.Name
	} else if record.Given() {
		missing = stream.Name
	}
	return recordid.Target{}, &tool.Error{
		Code:    tool.InvalidFieldWindowSelector,
		Message: fmt.Sprintf("the record is not named; pass %s, or both %s and %s", id.Name, stream.Name, record.Name),
		Param:   missing,
	}
}

// namedOnce returns the correction that names the record once, or nil if the arguments name different records.
func (i TargetInput) namedOnce() []rawjson.Object {
	handle, err := parseID(i.ID.Name, *i.ID.Value)
	switch {
	case err != nil && i.Stream.Given() && !i.RecordID.Given():
		return []rawjson.Object{{{Name: i.ID.Name}, rawjson.String(i.RecordID.Name, *i.ID.Value)}}
	case err != nil, i.Stream.Given() && *i.Stream.Value != handle.Stream, i.RecordID.Given() && *i.RecordID.Value != handle.RecordID:
		return nil
	}
	return []rawjson.Object{without(i.Stream.Name, i.RecordID.Name)}
}

func (i TargetInput) byID() (recordid.Target, error) {
	handle, err := parseID(i.ID.Name, *i.ID.Value)
	if err != nil {
		return recordid.Target{}, err
	}
	target := recordid.Target{Handle: *i.ID.Value, ConnectionID: i.ConnectionID.Value, Stream: handle.Stream, RecordID: handle.RecordID}
	if handle.ConnectionID == "" {
		return target, nil
	}
	if i.ConnectionID.Given() && *i.ConnectionID.Value != handle.ConnectionID {
		return recordid.Target{}, &tool.Error{
			Code: tool.ConflictingConnectionID,
			Message: fmt.Sprintf("%[1]s is %[2]s, and the %[3]s names the connection %[4]s; leave %[1]s out",
				i.ConnectionID.Name, quote(*i.ConnectionID.Value), i.ID.Name, quote(handle.ConnectionID)),
			Param:   i.ConnectionID.Name,
			Instead: []rawjson.Object{without(i.ConnectionID.Name)},
		}
	}
	target.ConnectionID = &handle.ConnectionID
	return target, nil
}

// parseID reads an id in any form that a result or another PDPP tool shows (R-HAND-3).
func parseID(name, id string) (recordid.Handle, error) {
	if json.Valid([]byte(id)) && rawjson.Kind([]byte(id)) == rawjson.ArrayValue {
		return recordid.Handle{}, refuse(tool.InvalidID, name, "is the key of a record, which does not name its stream; pass the row's handle")
	}
	if !recordid.IsURI(id) {
		handle, err := recordid.Parse(id)
		return handle, invalidID(name, err)
	}
	uri, err := recordid.ParseURI(id)
	if err == nil && uri.Kind != recordid.KindRecord {
		err = refuse(tool.InvalidID, name, fmt.Sprintf(
			"is a pdpp://%s URI, which names no record; pass an id as a result shows it, or a pdpp://record URI", uri.Kind))
	}
	return uri.Record, invalidID(name, err)
}

func (i TargetInput) byParts() (recordid.Target, error) {
	stream, recordID := *i.Stream.Value, *i.RecordID.Value
	if err := SafeName(i.Stream.Name, stream); err != nil {
		return recordid.Target{}, err
	}
	if err := RecordID(i.RecordID.Name, recordID); err != nil {
		return recordid.Target{}, err
	}
	handle := recordid.Handle{ConnectionID: orZero(i.ConnectionID.Value), Stream: stream, RecordID: recordID}
	return recordid.Target{Handle: handle.ID(), ConnectionID: i.ConnectionID.Value, Stream: stream, RecordID: recordID}, nil
}
