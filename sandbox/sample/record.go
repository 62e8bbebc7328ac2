package sample

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// timestampLayout is the form of every UTC time in the data; it sorts as text.
const timestampLayout = "2006-01-02T15:04:05.000Z"

func timestamp(t time.Time) string { return t.UTC().Format(timestampLayout) }

// record makes a live record of data, a struct whose fields stand in declared order.
func record(connectionID, stream, key string, data any) catalog.Record {
	return catalog.Record{
		ConnectionID: connectionID,
		Stream:       stream,
		Key:          key,
		Data:         encode(data),
		EmittedAt:    emittedAt,
	}
}

// tombstone makes a record that was deleted a day after it was collected.
func tombstone(connectionID, stream, key string) catalog.Record {
	deleted := emittedAt.Add(24 * time.Hour)
	return catalog.Record{ConnectionID: connectionID, Stream: stream, Key: key, EmittedAt: deleted, DeletedAt: deleted}
}

// compoundKey returns the canonical id of a record with several primary key fields.
func compoundKey(parts ...any) string { return string(encode(parts)) }

// encode leaves <, > and & as they are, as connectors do, and panics on what cannot be JSON: the
// values are this package's own structs.
func encode(v any) json.RawMessage {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(fmt.Errorf("encode sample %T: %w", v, err))
	}
	return json.RawMessage(strings.TrimSuffix(buffer.String(), "\n"))
}
