package scalar_test

import (
	_ "embed"
	"strings"
	"testing"
	"time"

	_ "time/tzdata" // the machine may lack the database

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
)

// zones are the names of all zones and links of the tz database.
//
//go:embed testdata/zones.txt
var zones string

// R-TIME-8: in every zone, each day of five years begins at the first instant of its date. The days follow each other
// without a gap, and the start of a day shifts to the start of another day.
func TestDaysBeginAtTheirFirstInstant(t *testing.T) {
	timetest.WithoutRace(t)
	t.Parallel()
	known := 0
	for name := range strings.Lines(zones) {
		zone, err := time.LoadLocation(strings.TrimSpace(name))
		if err != nil {
			continue // newer than the database of this toolchain
		}
		known++
		first := time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)
		for day := first; day.Year() < 2029; day = day.AddDate(0, 0, 1) {
			start := scalar.FirstInstant(day, zone)
			if got, want := start.Format(time.DateOnly), day.Format(time.DateOnly); got != want {
				t.Fatalf("%s: %s begins on %s", zone, want, got)
			}
			for _, before := range []time.Duration{time.Nanosecond, 30 * time.Minute, 2 * time.Hour} {
				if got := start.Add(-before).Format(time.DateOnly); got != day.AddDate(0, 0, -1).Format(time.DateOnly) {
					t.Fatalf("%s: %s before %s is on %s", zone, before, start, got)
				}
			}
			if next := scalar.FirstInstant(day.AddDate(0, 0, 1), zone); !scalar.Shift(start, "day", 1).Equal(next) ||
				!scalar.StartOf(next.Add(-time.Nanosecond), "day").Equal(start) {
				t.Fatalf("%s: %s does not end at %s", zone, start, next)
			}
		}
	}
	if known < 400 {
		t.Fatalf("%d zones are known", known)
	}
}

// Clocks that change at midnight: it is skipped in Cairo, Beirut and Havana in spring, and occurs twice in Havana in
// autumn.
func TestMidnightsWithClockChanges(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ zone, day, want string }{
		{"Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z"},
		{"Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z"},
		{"America/Havana", "2026-03-08", "2026-03-08T05:00:00Z"},
		{"America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"},
		{"Africa/Cairo", "2026-10-30", "2026-10-29T22:00:00Z"},
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"}, // a day that did not occur begins where the next one does
	} {
		zone, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		day, err := time.Parse(time.DateOnly, test.day)
		if err != nil {
			t.Fatal(err)
		}
		if got := scalar.FirstInstant(day, zone).UTC().Format(time.RFC3339); got != test.want {
			t.Errorf("%s begins at %s in %s, want %s", test.day, got, test.zone, test.want)
		}
	}
}
