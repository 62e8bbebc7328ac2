package cli

import (
	"encoding/json"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/golden"
)

// Covers R-OPS-4: the schema that editors use has the settings as the commands have them.
func TestConfigSchema(t *testing.T) {
	schema, err := json.MarshalIndent(invocation.ConfigSchema(testRoot()), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "../../../docs/config.schema.json", append(schema, '\n'))
}
