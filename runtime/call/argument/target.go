package argument

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// TargetInput has the names of the arguments that can name one record. A tool may lack Stream and RecordID.
type TargetInput struct{ ID, ConnectionID, Stream, RecordID string }

// ResolveTarget returns the record that a call names, by id or by stream and record_id (R-ARG-9). Its error is a
// *tool.Error: invalid_field_window_selector if both or neither are given, invalid_id for an id that is not a record
// handle, and conflicting_connection_id if the id names another connection than connection_id (R-HAND-4).
func ResolveTarget(given rawjson.Object, names TargetInput) (recordid.Target, error) {
	const code = tool.InvalidFieldWindowSelector
	hasID, parts := given.Get(names.ID) != nil, givenOf(given, names.Stream, names.RecordID)
	switch {
	case hasID && len(parts) > 0:
		return recordid.Target{}, &tool.Error{
			Code:    code,
			Message: fmt.Sprintf("%[1]s and %[2]s with %[3]s both name the record; pass %[1]s alone, or %[2]s and %[3]s without %[1]s", names.ID, names.Stream, names.RecordID),
			Param:   names.ID,
			Instead: names.namedOnce(given),
		}
	case hasID:
		return names.byID(given)
	case len(parts) == 2:
		return names.byParts(given)
	}
	missing := names.ID
	if len(parts) == 1 {
		missing = names.Stream
		if parts[0] == names.Stream {
			missing = names.RecordID
		}
	}
	return recordid.Target{}, &tool.Error{
		Code:    code,
		Message: fmt.Sprintf("the record is not named; pass %s, or both %s and %s", names.ID, names.Stream, names.RecordID),
		Param:   missing,
	}
}

// namedOnce returns the correction that names the record once, or nil if the arguments name different records.
func (n TargetInput) namedOnce(given rawjson.Object) []rawjson.Object {
	id, stream, record := given.Text(n.ID), given.Get(n.Stream), given.Get(n.RecordID)
	handle, err := parseID(n.ID, id)
	switch {
	case err != nil && stream != nil && record == nil:
		return []rawjson.Object{{{Name: n.ID}, rawjson.String(n.RecordID, id)}}
	case err != nil, stream != nil && rawjson.TextOf(stream) != handle.Stream, record != nil && rawjson.TextOf(record) != handle.RecordID:
		return nil
	}
	return []rawjson.Object{without(n.Stream, n.RecordID)}
}

func (n TargetInput) byID(given rawjson.Object) (recordid.Target, error) {
	id, connection := given.Text(n.ID), connectionOf(given, n.ConnectionID)
	handle, err := parseID(n.ID, id)
	switch {
	case err != nil:
		return recordid.Target{}, err
	case handle.ConnectionID == "":
	case connection != nil && *connection != handle.ConnectionID:
		return recordid.Target{}, &tool.Error{
			Code: tool.ConflictingConnectionID,
			Message: fmt.Sprintf("%[1]s is %[2]s, and the %[3]s names the connection %[4]s; leave %[1]s out",
				n.ConnectionID, quote(*connection), n.ID, quote(handle.ConnectionID)),
			Param:   n.ConnectionID,
			Instead: []rawjson.Object{without(n.ConnectionID)},
		}
	default:
		connection = &handle.ConnectionID
	}
	return recordid.Target{Handle: id, ConnectionID: connection, Stream: handle.Stream, RecordID: handle.RecordID}, nil
}

func (n TargetInput) byParts(given rawjson.Object) (recordid.Target, error) {
	stream, record, connection := given.Text(n.Stream), given.Text(n.RecordID), connectionOf(given, n.ConnectionID)
	if err := cmp.Or(SafeName(n.Stream, stream), RecordID(n.RecordID, record)); err != nil {
		return recordid.Target{}, err
	}
	handle := recordid.Handle{ConnectionID: scalar.OrZero(connection), Stream: stream, RecordID: record}
	return recordid.Target{Handle: handle.ID(), ConnectionID: connection, Stream: stream, RecordID: record}, nil
}

func connectionOf(given rawjson.Object, name string) *string {
	if given.Get(name) == nil {
		return nil
	}
	connection := given.Text(name)
	return &connection
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
