package scan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// R-CLAIM-1: an answer about records that no grant covers is unknown in both channels, with either kind of provider: it
// has no number, and no reading of it is complete. An answer at the edge of a grant names both of its bounds.
func TestRangesOutsideTheGrant(t *testing.T) {
	const bounds = "Granted only: messages (fields id, subject, received_at) from 2025-10-01 to before 2026-01-01. " +
		"What is outside is unknown, not absent."
	const unknown = " This call asks about records outside only, so its answer is unknown."
	outside := `"filter":{"received_at":{"gte":"2030-02-01","lt":"2030-03-01"}}}`
	for _, reads := range resource.AllReads() {
		c := newCaller(sandboxOf(t, reads, "everything"), 20_000)
		c.granted = []granted.Stream{{Name: "messages", Limit: granted.Limit{
			Fields: []string{"id", "subject", "received_at"}, TimeField: "received_at",
			Since: time.Date(2025, 10, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		}}}
		for _, test := range []struct {
			tool, arguments string
			isUnknown       bool
		}{
			{"aggregate", `{"stream":"messages","metric":"count",` + outside, true},
			{"aggregate", `{"stream":"messages","metric":"count","group_by":"from_name",` + outside, true},
			{"query_records", `{"stream":"messages",` + outside, true},
			{"search", `{"q":"invoice","streams":["messages"],` + outside, true},
			{"aggregate", `{"stream":"messages","metric":"count","filter":{"received_at":{"gte":"2025-12-01"}}}`, false},
			{"query_records", `{"stream":"messages","limit":1,"filter":{"received_at":{"lt":"2025-12-01"}}}`, false},
		} {
			read, err := c.try(t, test.tool, test.arguments)
			if err != nil {
				t.Fatal(err)
			}
			for channel, said := range map[string]string{"text": read.Text, "structured": string(read.Structured)} {
				if !strings.Contains(said, bounds) || strings.Contains(said, unknown) != test.isUnknown {
					t.Errorf("%s %s %s: %s", reads, test.tool, channel, said)
				}
				for _, claim := range []string{
					"value=0", `"value":0`, "complete=true", `"complete":true`, "total_count", "record_count",
				} {
					if test.isUnknown && strings.Contains(said, claim) {
						t.Errorf("%s %s %s claims %s: %s", reads, test.tool, channel, claim, said)
					}
				}
			}
		}
	}
}
