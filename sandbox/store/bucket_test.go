package store_test

import (
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

func TestBucket(t *testing.T) {
	for _, test := range []struct{ at, granularity, zone, want string }{
		{"2026-05-17T13:45:30Z", "minute", "UTC", "2026-05-17T13:45"},
		{"2026-05-17T13:45:30Z", "hour", "Asia/Kolkata", "2026-05-17T19:00"},
		{"2026-05-17T23:45:30Z", "day", "Europe/Berlin", "2026-05-18"},
		{"2026-05-17T13:45:30Z", "week", "UTC", "2026-05-11"}, // a Sunday
		{"2026-01-01T00:00:00Z", "week", "UTC", "2025-12-29"},
		{"2026-05-17T13:45:30Z", "month", "UTC", "2026-05-01"},
		{"2026-05-17T13:45:30Z", "quarter", "UTC", "2026-04-01"},
		{"2026-01-01T00:00:00Z", "year", "America/New_York", "2025-01-01"},
		// Clocks go back at 01:00 UTC: two hours of that night are both called 2 o'clock, and counted together.
		{"2026-10-25T00:30:00Z", "hour", "Europe/Berlin", "2026-10-25T02:00"},
		{"2026-10-25T01:30:00Z", "hour", "Europe/Berlin", "2026-10-25T02:00"},
	} {
		at, err := time.Parse(time.RFC3339, test.at)
		if err != nil {
			t.Fatal(err)
		}
		zone, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := store.Bucket(at, test.granularity, zone); got != test.want {
			t.Errorf("Bucket(%s, %s, %s) = %s, want %s", test.at, test.granularity, test.zone, got, test.want)
		}
	}
}
