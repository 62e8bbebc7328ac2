package calling

import (
	"testing"
	"time"
)

// A time is what a person means in their zone, also over a change of clocks.
func TestTimespan(t *testing.T) {
	berlin := time.FixedZone("CET", 3600)
	now := time.Date(2026, 3, 15, 0, 30, 0, 5, berlin)
	for _, test := range []struct{ since, on, want string }{
		{"12h", "", `{"gte":"2026-03-14T11:30:00Z"}`},
		{"7d", "", `{"gte":"2026-03-07T23:30:00Z"}`},
		{"2w", "", `{"gte":"2026-02-28T23:30:00Z"}`},
		{"2026-03-01", "", `{"gte":"2026-02-28T23:00:00Z"}`},
		{"2026-03-01T08:00:00+02:00", "", `{"gte":"2026-03-01T06:00:00Z"}`},
		{"yesterday", "", `{"gte":"2026-03-13T23:00:00Z"}`},
		{"", "2026-03-01", `{"gte":"2026-02-28T23:00:00Z","lt":"2026-03-01T23:00:00Z"}`},
		{"", "2026-02", `{"gte":"2026-01-31T23:00:00Z","lt":"2026-02-28T23:00:00Z"}`},
		{"", "today", `{"gte":"2026-03-14T23:00:00Z","lt":"2026-03-15T23:00:00Z"}`},
		{"", "7d", ""},
		{"d", "", ""},
		{"0d", "", ""},
		{"-1d", "", ""},
		{"7m", "", ""},
		{"99999999999999999999d", "", ""},
		{"7d", "today", ""},
	} {
		bounds, err := (&timespan{since: test.since, on: test.on}).bounds(now)
		if got := string(bounds.Encode()); (err != nil) != (test.want == "") || err == nil && got != test.want {
			t.Errorf("--since %q --on %q is %s, %v; want %s", test.since, test.on, got, err, test.want)
		}
	}
	if bounds, err := (&timespan{}).bounds(now); bounds != nil || err != nil {
		t.Errorf("no flag gives %s, %v", bounds.Encode(), err)
	}
}
