package operation_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/operation"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-ERR-4: an answer that is not a schema is a typed failure.
func TestSchemaWrongShape(t *testing.T) {
	for _, body := range []string{`{}`, `[]`, `{"connectors":{}}`, `nope`, `{"data":[]}`} {
		_, err := schemaResult(context.Background(), tool.Env{RS: serving(body)}, operation.SchemaInput{})
		var failure *rs.Failure
		if !errors.As(err, &failure) || failure.Reason != rs.InvalidResponse {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// Older servers wrap the document or list streams without connectors.
func TestSchemaOlderShapes(t *testing.T) {
	for _, body := range []string{
		`{"data":{"connectors":[{"connector_id":"gmail","streams":[{"name":"messages",` +
			`"granted_connections":[{"connection_id":"cin_1"}]}]}]}}`,
		`{"streams":[{"name":"messages","connector_key":"https://registry.example.com/connectors/gmail",` +
			`"connection_id":"cin_1"}]}`,
	} {
		result := schemaOf(t, serving(body), operation.SchemaInput{})
		for _, want := range []string{`["gmail","cin_1",null] messages`} {
			if !strings.Contains(result.Text, want) {
				t.Errorf("%s: text lacks %s:\n%s", body, want, result.Text)
			}
		}
		if strings.Contains(string(result.Structured), `"data":{"data"`) {
			t.Errorf("data is in data: %s", result.Structured)
		}
	}
}
