package argument_test

import (
	"encoding/json"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/call/argument"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// BenchmarkFilter checks a typed filter (R-ARG-1).
func BenchmarkFilter(b *testing.B) {
	raw := json.RawMessage(`{"filter":{"is_seen":false,"from_email":"grace@example.com",` +
		`"received_at":{"gte":"2026-01-01T00:00:00Z","lt":"2026-02-01T00:00:00Z"}}}`)
	names := argument.Names{Accepted: []string{"filter"}}
	b.ReportAllocs()
	for b.Loop() {
		arguments := argument.Open(raw, names)
		if filter := arguments.Filter("filter", tool.Clock{}); len(filter) != 4 || arguments.Err() != nil {
			b.Fatal(filter, arguments.Err())
		}
	}
}
