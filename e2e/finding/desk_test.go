// Package finding_test asks for records of the sample year as people ask, and counts what one search finds.
package finding_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// desk is a served adapter and what its provider is asked.
type desk struct {
	provider *journey.Provider
	reader   rs.Reader
	session  *mcp.ClientSession
}

func newDesk(t *testing.T, reads resource.Reads) desk {
	t.Helper()
	provider := journey.NewProvider(t, reads)
	reader, err := rs.NewClient(rs.Options{
		BaseURL: provider.URL,
		Bearer:  rs.NewSecret(provider.Box.Tokens()["everything"]),
	})
	if err != nil {
		t.Fatal(err)
	}
	readings := tool.NewReadings(tool.ReadingsOptions{MaxRecords: tool.DefaultReadOn})
	environment := func(context.Context) (tool.Env, error) { return tool.Env{RS: reader, Readings: readings}, nil }
	return desk{provider, reader, hosttest.Connect(t, gen.Surface(), hosttest.Options, environment)}
}

// result has the members of a structured result that a test reads.
type result struct {
	Results []struct {
		ID           string   `json:"id"`
		ConnectionID string   `json:"connection_id"`
		RecordID     string   `json:"record_id"`
		Words        []string `json:"words"`
	} `json:"results"`
	Note string `json:"note"`
}

// call calls a tool and returns both channels, and what the provider was asked.
func (d desk) call(t *testing.T, name string, arguments any) (text, structured string, asked []journey.Request) {
	t.Helper()
	d.provider.Take()
	got, err := d.session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil || got.IsError {
		t.Fatalf("%s %v: %v %+v", name, arguments, err, got)
	}
	return journey.Text(t, got), journey.Structured(t, got), d.provider.Take()
}

// parted returns the requests for records of hits apart from the others. It leaves out the metadata of the provider,
// which belong to no source and are remembered for a minute.
func parted(asked []journey.Request) (others, records []journey.Request) {
	for _, request := range asked {
		switch {
		case strings.Contains(request.URI, "/records/"):
			records = append(records, request)
		case !strings.HasPrefix(request.URI, "/.well-known/"):
			others = append(others, request)
		}
	}
	return others, records
}

func (d desk) search(t *testing.T, q string) (result, string, []journey.Request) {
	t.Helper()
	text, structured, asked := d.call(t, "search", map[string]any{"q": q})
	var read result
	if err := json.Unmarshal([]byte(structured), &read); err != nil {
		t.Fatal(err)
	}
	return read, text, asked
}
