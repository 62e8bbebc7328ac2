package readon

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// record is what is read of a row of a list. All of it shares memory with the page.
type record struct {
	row        rawjson.Value
	fields     rawjson.Cursor // before the row itself when it is flat
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
		case "id", "record_id", "record_key":
			if found.id == nil {
				found.id = value
			}
		case connectionName:
			found.connection = value
		}
	}
	found.row = c.Since(start)
	return found
}

// recordsOf are the rows of a list.
func recordsOf(list rs.List) []record {
	rows := make([]record, len(list.Rows))
	for i := range rows {
		rows[i] = recordOf(list.Cursor(i))
	}
	return rows
}

// connectionsOf are the connections that rows are of, each once.
func connectionsOf(rows []record) []string {
	var connections []string
	for _, row := range rows {
		if id := row.connectionID(); id != "" && !slices.Contains(connections, id) {
			connections = append(connections, id)
		}
	}
	return connections
}

// kept is a copy of the record that shares no memory with the page.
func (r record) kept() record { return recordOf(rawjson.NewCursor(bytes.Clone(r.row))) }

func (r record) key() string { return rawjson.TextOf(r.id) }

func (r record) connectionID() string { return rawjson.TextOf(r.connection) }

// print tells records of a page apart in a cursor.
func (r record) print() string {
	sum := sha256.Sum256(r.id)
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}
