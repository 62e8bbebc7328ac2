package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// A semantic search compares every text of the scope: here 500 bodies of 20 kB, one in ten of them similar to the
// query.
func BenchmarkSimilarLargeBodies(b *testing.B) {
	const bodies = 500
	words := []string{
		"meeting", "river", "invoice", "Straße", "quarterly", "moon", "garden", "project",
		"letter", "train",
	}
	var records []catalog.Record
	for i := range bodies {
		var text strings.Builder
		for n := 0; text.Len() < 20_000; n++ {
			text.WriteString(words[(n*7+i)%len(words)] + " ")
		}
		if i%10 == 0 {
			text.WriteString("overdraft")
		}
		records = append(records, note(fmt.Sprintf("n%d", i), "2026-01-01T00:00:00Z", text.String()))
	}
	s, err := store.Open(b.Context(), "")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	if err := s.Load(b.Context(), notes(records...)); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		hits, err := s.Similar(b.Context(), "overdraft", scope())
		if err != nil || len(hits) != bodies/10 {
			b.Fatal(len(hits), err)
		}
	}
}
