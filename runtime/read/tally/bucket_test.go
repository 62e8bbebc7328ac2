package tally_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
)

// A time is in the same bucket whichever record came before it, also where a clock is put forward or back, a year ends,
// or a zone had its local time.
func TestBucketsDoNotDependOnTheRecordBefore(t *testing.T) {
	for _, around := range []string{
		"2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z", "2025-12-31T23:00:00Z",
		"1893-03-31T23:06:32Z", "1969-12-31T23:00:00Z",
	} {
		middle, err := time.Parse(time.RFC3339, around)
		if err != nil {
			t.Fatal(err)
		}
		for _, zone := range []string{"UTC", "Europe/Berlin", "Australia/Lord_Howe"} {
			for _, granularity := range []string{"minute", "hour", "day", "week", "month", "quarter", "year"} {
				query := tally.Query{Metric: "count", GroupByTime: "at", Granularity: granularity, TimeZone: zone}
				all, want := add(t, query), map[string]int64{}
				for step := range 100 {
					record := fmt.Sprintf(`{"at":%q}`, middle.Add(time.Duration(step-50)*17*time.Minute).Format(time.RFC3339))
					all.Add(rawjson.NewCursor(rawjson.Value(record)))
					want[string(read(t, add(t, query, record)).Groups[0].Key)]++
				}
				got := map[string]int64{}
				for _, group := range read(t, all).Groups {
					got[string(group.Key)] = group.Count
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("by %s in %s around %s (-each alone +together):\n%s", granularity, zone, around, diff)
				}
			}
		}
	}
}
