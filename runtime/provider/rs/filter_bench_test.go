package rs_test

import (
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// BenchmarkFilterEncoding builds and encodes a query with equalities and ranges.
func BenchmarkFilterEncoding(b *testing.B) {
	filter := rs.Filter{
		{Field: "is_seen", Value: "false"},
		{Field: "from_email", Value: "grace@example.com"},
		{Field: "received_at", Operator: "gte", Value: "2026-01-01T00:00:00Z"},
		{Field: "received_at", Operator: "lt", Value: "2026-02-01T00:00:00Z"},
	}
	limit := int64(25)
	b.ReportAllocs()
	for b.Loop() {
		var query rs.Query
		query.Integer("limit", &limit)
		query.BracketFilter("filter", filter)
		if query.Encoded() == "" {
			b.Fatal("nothing was encoded")
		}
	}
}
