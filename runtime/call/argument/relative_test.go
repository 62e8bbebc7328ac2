package argument_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/call/argument"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// clockIn is half past midnight on Wednesday, 25 November 2026, in a zone.
func clockIn(t *testing.T, zone string) tool.Clock {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return tool.Clock{
		Zone: location,
		At:   func() time.Time { return time.Date(2026, time.November, 25, 0, 30, 0, 0, location) },
	}
}

func refusedFilter(t *testing.T, filter string, clock tool.Clock) *tool.Error {
	t.Helper()
	arguments := argument.Open(json.RawMessage(`{"filter":`+filter+`}`), names)
	arguments.Filter("filter", clock)
	return asToolError(t, arguments.Err())
}

// R-TIME-9: a relative date is refused with the absolute range that it means.
func TestFilterRefusesRelativeDates(t *testing.T) {
	for text, want := range map[string]string{
		"today": "2026-11-25", "Today": "2026-11-25", "yesterday": "2026-11-24", "tomorrow": "2026-11-26",
		"this week": "2026-11-23", "last week": "2026-11-16", "last month": "2026-10-01", "this quarter": "2026-10-01",
		"last year":  "2025-01-01",
		"3 days ago": "2026-11-22", "a week ago": "2026-11-18", "2 weeks ago": "2026-11-11", "past 2 months": "2026-09-25",
		"last 7 days": "2026-11-18",
		"in 2 days":   "2026-11-27", "-7 days": "2026-11-18", "7 days": "2026-11-18",
		"-7d": "2026-11-18", "7d": "2026-11-18", "now-7d": "2026-11-18",
		"now-1M": "2026-10-25", "now+1d": "2026-11-26",
		"now": "2026-11-25T00:30:00Z", "now-1h": "2026-11-24T23:30:00Z", "-90m": "2026-11-24T23:00:00Z",
		"2 hours ago": "2026-11-24T22:30:00Z",
		"P7D":         "2026-11-18", "-p1w": "2026-11-18",
	} {
		refused := refusedFilter(t, `{"at":{"gte":`+string(rawjson.Quote(text))+`},"seen":false}`, clockIn(t, "UTC"))
		if refused.Code != tool.InvalidTimeRange || refused.Param != "filter" {
			t.Errorf("%s: %+v", text, refused)
			continue
		}
		if got := string(refused.Instead[0].Encode()); got != `{"filter":{"at":{"gte":"`+want+`"},"seen":false}}` {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{
		"2026-11-25", "2026", "2026-11", "soon", "5", "7x", "monday", "now and then",
		strings.Repeat("1", 100), "",
	} {
		arguments := argument.Open(json.RawMessage(`{"filter":{"at":{"gte":`+string(rawjson.Quote(text))+`}}}`), names)
		if arguments.Filter("filter", tool.Clock{}); arguments.Err() != nil {
			t.Errorf("%q: %v", text, arguments.Err())
		}
	}
}

// R-TIME-8, R-TIME-9: every operator keeps its meaning, in the zone of the server, also across a change of daylight
// saving.
func TestRelativeDatesInAZone(t *testing.T) {
	for _, test := range []struct{ zone, filter, times, dates string }{
		{
			"Europe/Berlin", `{"at":{"gte":"yesterday","lt":"today"}}`,
			`{"at":{"gte":"2026-11-24T00:00:00+01:00","lt":"2026-11-25T00:00:00+01:00"}}`,
			`{"at":{"gte":"2026-11-24","lt":"2026-11-25"}}`,
		},
		{
			"Asia/Kathmandu", `{"at":{"gt":"last week","lte":"yesterday"}}`,
			`{"at":{"gte":"2026-11-23T00:00:00+05:45","lt":"2026-11-25T00:00:00+05:45"}}`,
			`{"at":{"gte":"2026-11-23","lt":"2026-11-25"}}`,
		},
		{
			"America/New_York", `{"at":{"gte":"30 days ago"},"on":{"lt":"today"}}`,
			`{"at":{"gte":"2026-10-26T00:00:00-04:00"},"on":{"lt":"2026-11-25T00:00:00-05:00"}}`,
			`{"at":{"gte":"2026-10-26"},"on":{"lt":"2026-11-25"}}`,
		},
	} {
		refused := refusedFilter(t, test.filter, clockIn(t, test.zone))
		if !strings.Contains(refused.Message, test.zone) || len(refused.Instead) != 2 {
			t.Fatalf("%s: %+v", test.filter, refused)
		}
		for i, want := range []string{test.times, test.dates} {
			if got := string(refused.Instead[i].Get("filter")); got != want {
				t.Errorf("%s: got %s, want %s", test.filter, got, want)
			}
		}
	}
}

// R-TIME-9: a correction that would be refused itself is not suggested.
func TestRelativeDatesWithoutCorrection(t *testing.T) {
	for _, filter := range []string{
		`{"at":{"gt":"yesterday","gte":"2026-11-01"}}`,
		`{"at":{"gt":"yesterday","lt":"today"}}`,
	} {
		if refused := refusedFilter(t, filter, clockIn(t, "UTC")); refused.Code != tool.InvalidTimeRange ||
			refused.Instead != nil {
			t.Errorf("%s: %+v", filter, refused)
		}
	}
}

// R-TIME-9: the range that a refusal suggests for any text is not refused.
func FuzzRelativeDate(f *testing.F) {
	for _, seed := range []string{
		"yesterday", "last 7 days", "99999 years ago", "now-1M", "in 99999 weeks", "P7D",
		"2026-11", "-90m", "\u0130n 2 days",
	} {
		f.Add(seed)
	}
	clock := tool.Clock{
		Zone: time.UTC,
		At:   func() time.Time { return time.Date(2026, time.November, 25, 0, 30, 0, 0, time.UTC) },
	}
	f.Fuzz(func(t *testing.T, text string) {
		arguments := argument.Open(json.RawMessage(`{"filter":{"at":{"gte":`+string(rawjson.Quote(text))+`}}}`), names)
		arguments.Filter("filter", clock)
		if arguments.Err() == nil {
			return
		}
		refused := asToolError(t, arguments.Err())
		for _, instead := range refused.Instead {
			again := argument.Open(instead.Encode(), names)
			if again.Filter("filter", clock); again.Err() != nil {
				t.Errorf("%q: %s is refused: %v", text, instead.Encode(), again.Err())
			}
		}
	})
}
