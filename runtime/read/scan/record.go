package scan

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// record is a row of a list. It shares memory with its page.
type record struct {
	row        rawjson.Value
	fields     rawjson.Cursor // at the object data, or at the row if it has none
	id         rawjson.Value
	connection rawjson.Value
}

func recordOf(c rawjson.Cursor) record {
	found := record{fields: c}
	start := c.At()
	for inside := c.Enter(rawjson.ObjectValue); inside && c.More(); {
		name := c.Name()
		before := c
		value := c.Value()
		switch string(name) {
		case "data":
			if rawjson.Kind(value) == rawjson.ObjectValue {
				found.fields = before
			}
		case wire.ID, wire.RecordID, "record_key":
			if found.id == nil {
				found.id = value
			}
		case wire.ConnectionID:
			found.connection = value
		}
	}
	found.row = c.Since(start)
	return found
}

func recordsOf(list rs.List) []record {
	rows := make([]record, len(list.Rows))
	for i := range rows {
		rows[i] = recordOf(list.Cursor(i))
	}
	return rows
}

func connectionsOf(rows []record) []string {
	var connections []string
	for _, row := range rows {
		if id := row.connectionID(); id != "" && !slices.Contains(connections, id) {
			connections = append(connections, id)
		}
	}
	return connections
}

func (r record) key() string { return rawjson.TextOf(r.id) }

func (r record) connectionID() string { return rawjson.TextOf(r.connection) }

// orderKey orders records with equal values. It distinguishes records of several connections.
func (r record) orderKey() string { return r.key() + "\x00" + r.connectionID() }

func (r record) hash() string {
	sum := sha256.Sum256(r.id)
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// object returns the fields of the record. They share its memory.
func (r record) object() rawjson.Object {
	fields, _ := rawjson.ParseObject(r.fields.Value())
	return fields
}
