package argument

import (
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// TargetInput are the arguments that can name one record. A nil member was not given.
type TargetInput struct {
	ID           *string
	ConnectionID *string
	Stream       *string
	RecordID     *string
}

// ResolveTarget finds the record that a call names, by id or by stream and record_id (R-ARG-9). Its
// error is a *tool.Error: invalid_field_window_selector when both or neither are given, invalid_id for
// an id that is not a record handle, and conflicting_connection_id when the id's own connection is
// another than connection_id (R-HAND-4).
func ResolveTarget(input TargetInput) (recordid.Target, error) {
	byParts := input.Stream != nil || input.RecordID != nil
	switch {
	case input.ID != nil && byParts:
		return recordid.Target{}, &tool.Error{
			Code:    tool.InvalidFieldWindowSelector,
			Message: "id and stream with record_id both name the record; pass id alone, or stream and record_id without id",
			Param:   "id",
		}
	case input.ID != nil:
		return targetByID(*input.ID, input.ConnectionID)
	case input.Stream == nil || input.RecordID == nil:
		return recordid.Target{}, &tool.Error{
			Code:    tool.InvalidFieldWindowSelector,
			Message: "the record is not named; pass id, or both stream and record_id",
			Param:   missingPart(input),
		}
	}
	return targetByParts(*input.Stream, *input.RecordID, input.ConnectionID)
}

func missingPart(input TargetInput) string {
	switch {
	case input.Stream != nil:
		return "record_id"
	case input.RecordID != nil:
		return "stream"
	}
	return "id"
}

func targetByID(id string, connectionID *string) (recordid.Target, error) {
	handle, err := parseID(id)
	if err != nil {
		return recordid.Target{}, err
	}
	target := recordid.Target{Handle: id, ConnectionID: connectionID, Stream: handle.Stream, RecordID: handle.RecordID}
	if handle.ConnectionID == "" {
		return target, nil
	}
	if connectionID != nil && *connectionID != handle.ConnectionID {
		return recordid.Target{}, &tool.Error{
			Code: tool.ConflictingConnectionID,
			Message: fmt.Sprintf("connection_id is %s, and the id names the connection %s; leave connection_id out",
				quote(*connectionID), quote(handle.ConnectionID)),
			Param: "connection_id",
		}
	}
	target.ConnectionID = &handle.ConnectionID
	return target, nil
}

// parseID reads an id in any of the forms that a result or another PDPP tool shows (R-HAND-3).
func parseID(id string) (recordid.Handle, error) {
	if !recordid.IsURI(id) {
		handle, err := recordid.Parse(id)
		return handle, invalidID("id", err)
	}
	uri, err := recordid.ParseURI(id)
	if err != nil {
		return recordid.Handle{}, invalidID("id", err)
	}
	if uri.Kind != recordid.KindRecord {
		return recordid.Handle{}, refuse(tool.InvalidID, "id", fmt.Sprintf(
			"is a pdpp://%s URI, which names no record; pass an id as search shows it, or a pdpp://record URI", uri.Kind))
	}
	return uri.Record, nil
}

func targetByParts(stream, recordID string, connectionID *string) (recordid.Target, error) {
	if err := SafeName("stream", stream); err != nil {
		return recordid.Target{}, err
	}
	if err := RecordID("record_id", recordID); err != nil {
		return recordid.Target{}, err
	}
	handle := recordid.Handle{Stream: stream, RecordID: recordID}
	if connectionID != nil {
		handle.ConnectionID = *connectionID
	}
	formed := handle.String()
	if !handle.CanFormat() {
		formed = recordid.FormatURI(recordid.URI{Kind: recordid.KindRecord, Record: handle})
	}
	return recordid.Target{Handle: formed, ConnectionID: connectionID, Stream: stream, RecordID: recordID}, nil
}
