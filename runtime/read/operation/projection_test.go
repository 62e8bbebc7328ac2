package operation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/read/operation"
)

// connectorRow and streamRow are the members of structured.data that a model reads.
type connectorRow struct {
	Key         string          `json:"connector_key"`
	StreamCount int             `json:"stream_count"`
	Streams     []streamRow     `json:"streams"`
	Connections []connectionRow `json:"granted_connections"`
	Left        int             `json:"connections_left_out"`
}

type streamRow struct {
	Name        string            `json:"name"`
	PrimaryKey  []string          `json:"primary_key"`
	Cursor      string            `json:"cursor_field"`
	Fields      map[string]string `json:"field_capabilities"`
	FieldsLeft  int               `json:"fields_left_out"`
	Like        string            `json:"field_capabilities_like"`
	Relations   []map[string]any  `json:"expand_capabilities"`
	Connections []connectionRow   `json:"granted_connections"`
	Consent     string            `json:"consent_time_field"`
	InstanceIDs []string          `json:"instance_ids"`
}

type connectionRow struct {
	ID    string `json:"connection_id"`
	Label string `json:"display_name"`
	Twin  string `json:"connector_instance_id"`
}

type structuredSchema struct {
	Data struct {
		Detail         string         `json:"detail"`
		ConnectorCount int            `json:"connector_count"`
		StreamCount    int            `json:"stream_count"`
		Connectors     []connectorRow `json:"connectors"`
		ConnectorsLeft int            `json:"connectors_left_out"`
		StreamsLeft    int            `json:"streams_left_out"`
		Streams        any            `json:"streams"`
	} `json:"data"`
	Legend map[string]string `json:"legend"`
	Note   string            `json:"note"`
}

// fataler is a test or one run of a property.
type fataler interface {
	Helper()
	Fatalf(format string, arguments ...any)
}

func decode(t fataler, structured json.RawMessage) structuredSchema {
	t.Helper()
	var decoded structuredSchema
	if err := json.Unmarshal(structured, &decoded); err != nil {
		t.Fatalf("%v in %.500s", err, structured)
	}
	return decoded
}

// R-SCH-1: the compact form of a full body equals the server's compact view, for every captured pair: flags, relations,
// sources and counts. The full bodies have only some of the fields and relations, which are compared.
func TestSchemaProjectionIsTheCompactView(t *testing.T) {
	for _, pair := range []struct {
		full, compact string
		connectors    bool // the full body has all connectors
	}{
		{"010", "011", true},
		{"013", "012", true},
		{"013b", "011b", false},
		{"019", "011", true},
		{"019b", "011", true},
	} {
		t.Run(pair.full, func(t *testing.T) {
			input := operation.SchemaInput{Stream: pointer("messages")}
			here := decode(t, schemaOf(t, serving(fixture(t, "captured/"+pair.full)), input).Structured)
			sent := decode(t, schemaOf(t, serving(fixture(t, "captured/"+pair.compact)), input).Structured)
			row, want := &here.Data.Connectors[0].Streams[0], &sent.Data.Connectors[0].Streams[0]
			if len(row.Fields) == 0 || len(row.Fields) > len(want.Fields) {
				t.Fatalf("%d fields", len(row.Fields))
			}
			for name := range want.Fields {
				if _, captured := row.Fields[name]; !captured {
					delete(want.Fields, name)
				}
			}
			want.Relations = want.Relations[:len(row.Relations)]
			here.Legend, sent.Legend = nil, nil // they depend on the flags
			if !pair.connectors {
				here.Data.Connectors[0].Key, here.Data.Connectors[0].Connections = sent.Data.Connectors[0].Key, sent.Data.Connectors[0].Connections
			}
			if diff := cmp.Diff(sent, here); diff != "" {
				t.Errorf("(-compact +projected):\n%s", diff)
			}
		})
	}
}

// R-SCH-1: the flags of a full capability, one for one.
func TestSchemaFlagsOfCapabilities(t *testing.T) {
	for capability, want := range map[string]string{
		`{}`:            "declared",
		`null`:          "declared",
		`"t=string,eq"`: "t=string,eq",
		`{"schema":{},"granted":true,"exact_filter":{"declared":true,` +
			`"usable":false}}`: "declared",
		`{"schema":{"type":["string","null"]},` +
			`"exact_filter":{"usable":true}}`: "t=string|null,eq",
		`{"type":"text","role":"primary-title","schema":{"type":"string"},` +
			`"lexical_search":{"usable":true}}`: "t=text,role=primary-title,lex",
		`{"schema":{"type":"string","x_pdpp_type":"person","x_pdpp_role":"actor"},` +
			`"semantic_search":{"usable":true}}`: "t=person,role=actor,sem",
		`{"schema":{"type":"integer"},"range_filter":{"usable":true,"operators":["gte","lt"]}}`: "t=integer,r=gte|lt",
		`{"schema":{"type":"integer"},` +
			`"range_filter":{"usable":true}}`: "t=integer,r=gte|gt|lte|lt",
		`{"aggregation":{"sum":{"usable":true},"max":{"usable":true},` +
			`"group_by":{"usable":false}}}`: "a=max|sum",
		`{"schema":{"type":"string"},` +
			`"granted":false}`: "t=string,g=false",
	} {
		body := `{"connectors":[{"connector_key":"k","streams":[{"name":"s","schema":{},"field_capabilities":{"f":` +
			capability + `}}]}]}`
		result := schemaOf(t, serving(body), operation.SchemaInput{Stream: pointer("s")})
		if got := decode(t, result.Structured).Data.Connectors[0].Streams[0].Fields["f"]; got != want {
			t.Errorf("%s: %q, not %q", capability, got, want)
		}
	}
}

// R-SCH-1: connections are listed once, at the connector; a stream that has fewer keeps its list; the deprecated
// aliases of connection_id are left out.
func TestSchemaListsConnectionsOnce(t *testing.T) {
	body := `{"connectors":[{"connector_key":"k","streams":[
		{"name":"s","schema":{},"instance_ids":["cin_a","cin_b"],"granted_connections":[{"connection_id":"cin_a","connector_instance_id":"cin_a"},{"connection_id":"cin_b"}]},
		{"name":"s","schema":{"type":"object"},"granted_connections":[{"connection_id":"cin_a"}]}]}]}`
	data := decode(t, schemaOf(t, serving(body), operation.SchemaInput{Stream: pointer("s")}).Structured).Data
	want := []connectionRow{{ID: "cin_a"}, {ID: "cin_b"}}
	if diff := cmp.Diff(want, data.Connectors[0].Connections); diff != "" {
		t.Error(diff)
	}
	if rows := data.Connectors[0].Streams; rows[0].Connections != nil || len(rows[1].Connections) != 1 ||
		rows[0].InstanceIDs != nil {
		t.Errorf("%+v", rows)
	}
}

// R-SCH-1: an unknown flag is kept.
func TestSchemaKeepsUnknownFlags(t *testing.T) {
	body := `{"new":{"a":1.10},"connectors":[{"later":[],"streams":[{"x":null,"name":"s",` +
		`"field_capabilities":{"f":"t=string,new=1"}}],"connector_key":"k"}],"object":"schema","detail":"compact"}`
	result := schemaOf(t, serving(body), operation.SchemaInput{Stream: pointer("s")})
	if flags := decode(t, result.Structured).Data.Connectors[0].Streams[0].Fields["f"]; flags != "t=string,new=1" ||
		!strings.HasSuffix(result.Text, "\n f: string,new=1") {
		t.Errorf("%q in %s", flags, result.Text)
	}
}

// R-SCH-1: equal rows of several connections are merged, also in a list without connectors.
func TestSchemaRowsForEachConnection(t *testing.T) {
	body := `{"streams":[
		{"name":"s","connector_key":"k","connection_id":"cin_a","display_name":"A","field_capabilities":{"f":"eq"}},
		{"name":"s","connector_key":"k","connection_id":"cin_b","display_name":"B","field_capabilities":{"f":"eq"}},
		{"name":"s","connector_key":"k","connection_id":"cin_c","display_name":"C","field_capabilities":{"f":"lex"}}]}`
	data := decode(t, schemaOf(t, serving(body), operation.SchemaInput{Stream: pointer("s")}).Structured).Data
	if rows := data.Connectors[0].Streams; len(rows) != 2 || len(rows[0].Connections) != 2 ||
		len(rows[1].Connections) != 1 || data.Streams != nil {
		t.Errorf("%+v", rows)
	}
	scoped := decode(t, schemaOf(t, serving(body),
		operation.SchemaInput{Stream: pointer("s"), ConnectionID: pointer("cin_c")}).Structured).Data
	if rows := scoped.Connectors[0].Streams; len(rows) != 1 || rows[0].Fields["f"] != "lex" {
		t.Errorf("R-SCH-4: %+v", rows)
	}
}
