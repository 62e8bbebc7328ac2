package tally_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
)

func add(t *testing.T, query tally.Query, records ...string) *tally.Tally {
	t.Helper()
	counting, err := tally.New(query)
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range records {
		counting.Add(rawjson.NewCursor(rawjson.Value(fields)))
	}
	return counting
}

// The order of the groups, which is part of the answer.
func TestGroupsInOrder(t *testing.T) {
	records := []string{
		`{"":"x","to":"Ada","amount":-12.10,"at":"2026-02-03T10:00:00Z"}`,
		`{"to":"Ada","amount":-0.90,"at":"2026-01-03T10:00:00Z"}`,
		`{"to":"Bob","amount":100,"at":"2026-03-03T10:00:00Z"}`,
		`{"to":["Cy","Ada"],"amount":0.05,"at":"2026-02-04T10:00:00Z"}`,
		`{"amount":7}`,
	}
	for name, test := range map[string]struct {
		query tally.Query
		want  string
	}{
		"count by key": {
			tally.Query{Metric: "count", GroupBy: "to"},
			`{"key":"Ada","count":3} {"key":"Bob","count":1} {"key":"Cy","count":1} {"key":null,"count":1}`,
		},
		"the largest sums, whichever their sign": {
			tally.Query{Metric: "sum", Field: "amount", GroupBy: "to"},
			`{"key":"Bob","count":1,"value":100} {"key":"Ada","count":3,"value":-12.95} {"key":null,"count":1,"value":7} ` +
				`{"key":"Cy","count":1,"value":0.05}`,
		},
		"the least first": {
			tally.Query{Metric: "min", Field: "amount", GroupBy: "to", Limit: 2},
			`{"key":"Ada","count":3,"value":-12.10} {"key":"Cy","count":1,"value":0.05} other_count=2`,
		},
		"the greatest first": {
			tally.Query{Metric: "max", Field: "at", GroupBy: "to"},
			`{"key":"Bob","count":1,"value":"2026-03-03T10:00:00Z"} {"key":"Ada","count":3,"value":"2026-02-04T10:00:00Z"} ` +
				`{"key":"Cy","count":1,"value":"2026-02-04T10:00:00Z"} {"key":null,"count":1,"value":null}`,
		},
		"by time, the earliest first": {
			tally.Query{Metric: "sum", Field: "amount", GroupByTime: "at", Granularity: "month"},
			`{"key":"2026-01-01","count":1,"value":-0.9} {"key":"2026-02-01","count":2,"value":-12.05} {"key":"2026-03-01",` +
				`"count":1,"value":100} {"key":null,"count":1,"value":7}`,
		},
		"both, under the largest keys the earliest": {
			tally.Query{Metric: "count", GroupBy: "to", GroupByTime: "at", Granularity: "month", Limit: 3},
			`{"key":"Ada","time":"2026-01-01","count":1} {"key":"Ada","time":"2026-02-01","count":2} {"key":"Bob",` +
				`"time":"2026-03-01","count":1} other_count=2`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := add(t, test.query, records...).Answer()
			texts := make([]string, len(found.Groups))
			for i, each := range found.Groups {
				texts[i] = string(each.Members.Encode())
			}
			if others := found.Others(); others > 0 {
				texts = append(texts, fmt.Sprintf("other_count=%d", others))
			}
			if got := strings.Join(texts, " "); got != strings.ReplaceAll(test.want, "-12.10", "-12.1") {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func messages(t *tally.Tally) string {
	var all []string
	for _, warning := range t.Warnings() {
		all = append(all, warning.Message)
	}
	return strings.Join(all, "")
}

func TestWhatIsLeftOutIsSaid(t *testing.T) {
	for name, test := range map[string]struct {
		metric  string
		records []string
		value   string
		said    string
	}{
		"an object": {
			"sum",
			[]string{`{"a":{}}`, `{"a":1}`, `{"a":null}`, `{}`},
			"1",
			"1 values of a are left out: sum cannot measure them.",
		},
		"numbers as texts": {
			"sum",
			[]string{`{"a":"-12.50"}`, `{"a":"1e1"}`, `{"a":1}`},
			"-1.5",
			"2 values of a are numbers as text; sum takes them by value.",
		},
		"nothing to add up": {
			"sum",
			[]string{`{"a":"none"}`, `{"a":""}`},
			"",
			"2 values of a are left out: sum cannot measure them.",
		},
		"no value at all": {"sum", []string{`{"a":null}`, `{}`}, "0", ""},
		"the greatest": {
			"max",
			[]string{`{"a":"9.50"}`, `{"a":"832.00"}`},
			`"832.00"`,
			"2 values of a are numbers as text; max takes them by value.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			counting := add(t, tally.Query{Metric: test.metric, Field: "a"}, test.records...)
			if got := messages(counting); got != test.said {
				t.Errorf("warns %q, want %q", got, test.said)
			}
			if got := string(counting.Answer().Members.Get("value")); got != test.value {
				t.Errorf("value %s, want %s", got, test.value)
			}
		})
	}
	grouped := add(t, tally.Query{Metric: "sum", Field: "a", GroupBy: "k"}, `{"a":"none","k":1}`)
	if got := read(t, grouped); string(got.Groups[0].Value) != "null" {
		t.Errorf("a group of nothing to add up has the sum %s", got.Groups[0].Value)
	}
}

// R-SCAN-3: beyond 10,000 groups their records are counted, and it is said that one of them may be large.
func TestGroupsAreBounded(t *testing.T) {
	counting := add(t, tally.Query{Metric: "count", GroupBy: "k", Limit: 1})
	for i := range 10_005 {
		counting.Add(rawjson.NewCursor(rawjson.Value(fmt.Sprintf(`{"k":%d}`, i))))
		counting.Add(rawjson.NewCursor(rawjson.Value(`{"k":0}`)))
	}
	got := read(t, counting)
	if got.Groups[0].Count != 10_006 || got.OtherCount != 10_004 || len(counting.Warnings()) != 1 {
		t.Errorf("%+v, %q", got, counting.Warnings())
	}
	long := add(t, tally.Query{Metric: "count", GroupBy: "k"})
	for i := range 20 {
		long.Add(rawjson.NewCursor(rawjson.Value(fmt.Sprintf(`{"k":"%d%s"}`, i, strings.Repeat("x", 1<<20)))))
	}
	if got := read(t, long); len(got.Groups) != 3 || got.OtherCount != 17 {
		t.Errorf("%d groups of a megabyte, %d others", len(got.Groups), got.OtherCount)
	}
}

func TestDistinctValuesAreBounded(t *testing.T) {
	counting := add(t, tally.Query{Metric: "count_distinct", Field: "k"})
	for i := range 100_001 {
		counting.Add(rawjson.NewCursor(rawjson.Value(fmt.Sprintf(`{"k":%d}`, i))))
	}
	if members := counting.Answer().Members; !members.True("approximate") || string(members.Get("value")) != "100000" ||
		len(counting.Warnings()) != 1 {
		t.Errorf("%s, %q", members.Encode(), counting.Warnings())
	}
}

func TestImpossibleQueries(t *testing.T) {
	for name, test := range map[string]struct {
		query     tally.Query
		parameter string
	}{
		"no metric":          {tally.Query{}, "metric"},
		"a field of count":   {tally.Query{Metric: "count", Field: "a"}, "field"},
		"nothing to add up":  {tally.Query{Metric: "sum"}, "field"},
		"no width":           {tally.Query{Metric: "count", GroupByTime: "at"}, "granularity"},
		"an unknown width":   {tally.Query{Metric: "count", GroupByTime: "at", Granularity: "second"}, "granularity"},
		"a width of nothing": {tally.Query{Metric: "count", Granularity: "day"}, "granularity"},
		"a zone of nothing":  {tally.Query{Metric: "count", GroupBy: "a", TimeZone: "UTC"}, "time_zone"},
		"an unknown zone": {
			tally.Query{Metric: "count", GroupByTime: "at", Granularity: "day", TimeZone: "Mars/Olympus"}, "time_zone",
		},
		"the zone of a machine": {
			tally.Query{Metric: "count", GroupByTime: "at", Granularity: "day", TimeZone: "Local"},
			"time_zone",
		},
		"a limit of nothing":        {tally.Query{Metric: "count", Limit: 5}, "limit"},
		"more groups than there be": {tally.Query{Metric: "count", GroupBy: "a", Limit: 101}, "limit"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tally.New(test.query)
			var refused *tally.Error
			if !errors.As(err, &refused) || refused.Parameter != test.parameter {
				t.Errorf("refused with %v", err)
			}
		})
	}
}

// R-SCAN-8: what is read leaves nothing behind but groups.
func TestAddingAllocatesNothing(t *testing.T) {
	for _, metric := range []string{"sum", "max", "count_distinct"} {
		counting := add(t, tally.Query{
			Metric: metric, Field: "amount", GroupBy: "from", GroupByTime: "at",
			Granularity: "month", TimeZone: "Europe/Berlin",
		})
		fields := rawjson.Value(`{"at":"2026-03-01T23:30:00-05:00","amount":12.25,"from":"ada@example.com"}`)
		counting.Add(rawjson.NewCursor(fields))
		if allocations := testing.AllocsPerRun(100, func() { counting.Add(rawjson.NewCursor(fields)) }); allocations > 0 {
			t.Errorf("%s: %v allocations", metric, allocations)
		}
	}
}

// The cost of a record of 1 kB in addition to its page.
func BenchmarkAdd(b *testing.B) {
	fields := rawjson.Value(`{"id":"m1","from":"ada@example.com","body":"` + strings.Repeat("word ", 180) +
		`","at":"2026-03-01T23:30:00-05:00","amount":12.25}`)
	for name, query := range map[string]tally.Query{
		"sum by sender and month": {
			Metric: "sum", Field: "amount", GroupBy: "from", GroupByTime: "at", Granularity: "month",
			TimeZone: "Europe/Berlin",
		},
		"count":          {Metric: "count"},
		"count_distinct": {Metric: "count_distinct", Field: "from"},
	} {
		b.Run(name, func(b *testing.B) {
			counting, err := tally.New(query)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(fields)))
			b.ReportAllocs()
			for b.Loop() {
				counting.Add(rawjson.NewCursor(fields))
			}
		})
	}
}

// A record with several values is in several groups, and the result says how many records are.
func TestRecordsInSeveralGroups(t *testing.T) {
	counting := add(t, tally.Query{Metric: "count", GroupBy: "a"}, `{"a":["x","y"]}`, `{"a":["x","x"]}`, `{"a":"y"}`)
	const want = "1 records have several values of a, and count once in the group of each."
	if got := counting.Warnings(); len(got) != 1 ||
		got[0] != (tally.Warning{Code: tally.WarnSeveralGroups, Message: want}) {
		t.Errorf("warns %q, want %q", got, want)
	}
}
