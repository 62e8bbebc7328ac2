package operation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/operation"
)

// R-SCH-2: a thousand streams with all their capabilities are an index within its bytes, with every name
// in text.
func TestSchemaIndexOfThousand(t *testing.T) {
	var streams []string
	for i := range 1000 {
		streams = append(streams, fmt.Sprintf(`{"name":"stream_number_%04d","field_capabilities":{"subject":{"schema":{"type":"string","description":%q}}}}`,
			i, strings.Repeat("d", 500)))
	}
	body := `{"object":"schema","connectors":[{"connector_key":"big","streams":[` + strings.Join(streams, ",") +
		`],"granted_connections":[{"connection_id":"cin_1"}]}],"streams":[` + strings.Join(streams, ",") + `]}`
	result := schemaOf(t, serving(body), operation.SchemaInput{})
	if size := len(result.Text) + len(result.Structured); size > 40_000 {
		t.Errorf("%d bytes", size)
	}
	for i := range 1000 {
		if name := fmt.Sprintf("stream_number_%04d", i); !strings.Contains(result.Text, name) {
			t.Fatalf("no %s in text", name)
		}
	}
	if !strings.Contains(string(result.Structured), `"stream_count":1000`) || strings.Contains(string(result.Structured), "field_capabilities") {
		t.Errorf("structured output: %.500s", result.Structured)
	}
}
