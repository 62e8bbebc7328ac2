package store_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

const connection = "cin_notes"

// notes declares one stream, ordered by a time.
func notes(records ...catalog.Record) catalog.Dataset {
	return catalog.Dataset{
		Connectors: []catalog.Connector{{Key: "notes", Streams: []catalog.Stream{{
			Name: "notes", PrimaryKey: []string{"id"}, CursorField: "at", ConsentTimeField: "at",
			Fields: []catalog.Field{
				{Name: "id", Type: "string"},
				{Name: "at", Type: "string", Format: "date-time"},
				{Name: `odd "name"`, Type: "string", Exact: true},
				{Name: "text", Type: "string", Lexical: true},
				{Name: "tags", Type: "array", Lexical: true},
			},
		}}}},
		Connections: []catalog.Connection{{ID: connection, ConnectorKey: "notes"}},
		Records:     records,
	}
}

func note(key, at, text string) catalog.Record {
	data, err := json.Marshal(map[string]any{"id": key, "at": at, "text": text})
	if err != nil {
		panic(err)
	}
	return raw(key, string(data))
}

func raw(key, data string) catalog.Record {
	return catalog.Record{
		ConnectionID: connection, Stream: "notes", Key: key, Data: json.RawMessage(data),
		EmittedAt: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC),
	}
}

func open(t *testing.T, dir string, dataset catalog.Dataset) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Load(t.Context(), dataset); err != nil {
		t.Fatalf("load: %v", err)
	}
	return s
}

var everything = store.Selection{ConnectionID: connection, Stream: "notes"}

func keys(entries []store.Entry) string {
	text := ""
	for _, entry := range entries {
		text += fmt.Sprint(entry.Key, " ")
	}
	return text
}
