package scan_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// secondsAhead is the offset of each zone in SQL: of a second s since 1970, in seconds.
var secondsAhead = map[string]string{
	"Europe/Berlin": `CASE WHEN s < unixepoch('2025-03-30 01:00') THEN 3600 WHEN s < unixepoch('2025-10-26 01:00') THEN 7200
		WHEN s < unixepoch('2026-03-29 01:00') THEN 3600 ELSE 7200 END`,
	"America/New_York": `CASE WHEN s < unixepoch('2025-03-09 07:00') THEN -18000 WHEN s < unixepoch('2025-11-02 06:00') THEN -14400
		WHEN s < unixepoch('2026-03-08 07:00') THEN -18000 ELSE -14400 END`,
	"Asia/Kathmandu": `20700`,
}

// groupsBySQL returns the count of each key, formatted by strftime from the clock of a zone.
func groupsBySQL(t *testing.T, db *sql.DB, stream, field, zone, format string) map[string]int64 {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), fmt.Sprintf(
		`SELECT strftime('%s', s + %s, 'unixepoch'), count(*) FROM (SELECT unixepoch(data->>'%s') AS s FROM record
		WHERE stream = '%s' AND deleted_at IS NULL) GROUP BY 1`, format, secondsAhead[zone], field, stream))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	counts := map[string]int64{}
	for rows.Next() {
		var key string
		var count int64
		if err := rows.Scan(&key, &count); err != nil {
			t.Fatal(err)
		}
		counts[key] = count
	}
	if err := rows.Err(); err != nil || len(counts) == 0 {
		t.Fatal(counts, err)
	}
	return counts
}

// R-TIME-7: weekdays and hours of the day are those of SQL, in zones with and without daylight saving, and no group is
// missing.
func TestWeekdaysAndHours(t *testing.T) {
	box, url := sandboxtest.Serve(t, sandbox.Options{PublicURL: provider, Seed: 1, Reads: resource.ReadsV01})
	client, err := rs.NewClient(rs.Options{
		BaseURL: url, ProviderURL: provider,
		Bearer: rs.NewSecret(box.Tokens()["everything"]),
	})
	if err != nil {
		t.Fatal(err)
	}
	c := newCaller(&watched{Reader: client}, 20_000)
	for zone := range secondsAhead {
		for _, of := range []struct{ stream, field string }{{"play_history", "played_at"}, {"chat_messages", "sent_at"}} {
			for granularity, format := range map[string]string{"weekday": "%w", "hour_of_day": "%H"} {
				want := groupsBySQL(t, box.Store().DB(), of.stream, of.field, zone, format)
				read := c.call(t, "aggregate",
					fmt.Sprintf(`{"stream":%q,"metric":"count","group_by_time":%q,"granularity":%q,"time_zone":%q}`, of.stream,
						of.field, granularity, zone))
				var wanted, got []string
				for i := range map[string]int{"weekday": 7, "hour_of_day": 24}[granularity] {
					name, key := fmt.Sprintf("%02d", i), fmt.Sprintf("%02d", i)
					if granularity == "weekday" {
						day := time.Weekday((i + 1) % 7)
						name, key = day.String(), fmt.Sprint(int(day))
					}
					wanted = append(wanted, fmt.Sprintf(`{"key":%q,"count":%d}`, name, want[key]))
				}
				for _, group := range read.Data.Groups {
					got = append(got, string(group))
				}
				if diff := cmp.Diff(wanted, got); diff != "" || !read.Reading.Complete ||
					!strings.Contains(read.text, `time_zone="`+zone+`"`) {
					t.Errorf("%s by %s in %s (-SQL +got):\n%s\n%.300s", of.stream, granularity, zone, diff, read.text)
				}
			}
		}
	}
}

// R-CLAIM-7: weekdays beyond limit, and the group without a time, are counted, and a call has them.
func TestFurtherWeekdays(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	for limit, further := range map[int]int{5: 3, 7: 1, 8: 0} {
		read := c.call(t, "aggregate", fmt.Sprintf(
			`{"stream":"issues","metric":"count","group_by_time":"closed_at","granularity":"weekday","limit":%d}`, limit))
		hasNext := strings.Contains(read.text, `next (instead): aggregate {"stream":"issues"`)
		if !strings.Contains(read.text, fmt.Sprintf(" further_groups=%d ", further)) || hasNext != (further > 0) ||
			strings.Contains(read.text, "greatest key") {
			t.Error(read.text)
		}
	}
}

// R-TIME-8: without time_zone the groups are in the zone of the server, which the result states. A field of dates keeps
// its days.
func TestGroupsInTheZoneOfTheServer(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	call := func(arguments string) page {
		env := tool.Env{RS: c.watched, Readings: c.readings, Clock: tool.Clock{Zone: newYork}}
		at := slices.IndexFunc(gen.Surface().Tools, func(d tool.Definition) bool { return d.Name == "aggregate" })
		result, err := gen.Surface().Tools[at].Run(t.Context(), env, json.RawMessage(arguments))
		if err != nil {
			t.Fatal(err)
		}
		return pageOf(t, result)
	}
	const plays = `{"stream":"play_history","metric":"count","group_by_time":"played_at","granularity":"day"`
	if diff := cmp.Diff(texts(c.call(t, "aggregate", plays+`,"time_zone":"America/New_York"}`).Data.Groups),
		texts(call(plays+"}").Data.Groups)); diff != "" {
		t.Errorf("by day (-named zone +zone of the server):\n%s", diff)
	}
	const booked = `{"stream":"transactions","metric":"count","group_by_time":"booked_on","granularity":"day"}`
	if diff := cmp.Diff(texts(c.call(t, "aggregate", booked).Data.Groups), texts(call(booked).Data.Groups)); diff != "" {
		t.Errorf("a field of dates (-UTC +New York):\n%s", diff)
	}
	local := call(`{"stream":"events","metric":"count","group_by_time":"local_start","granularity":"hour_of_day"}`)
	if !strings.Contains(local.text, "grouped by the time that they show") ||
		!strings.Contains(local.text, "or the offset that a value states") {
		t.Errorf("the offsets of the values are not mentioned: %s", local.text)
	}
}

// R-AGG-5: groups come in the order of sort, over all groups, whether the resource server has all of them or not.
func TestSortedGroups(t *testing.T) {
	timetest.WithoutRace(t)
	for _, reads := range resource.AllReads() {
		c := newCaller(sandboxOf(t, reads, "everything"), 20_000)
		for _, test := range []struct{ arguments, want string }{
			{`"stream":"play_history","metric":"count","group_by":"artist_name"`, "count"},
			{`"stream":"play_history","metric":"sum","field":"ms_played","group_by":"artist_name"`, "value"},
			{`"stream":"play_history","metric":"count","group_by_time":"played_at","granularity":"month"`, "count"},
			{`"stream":"play_history","metric":"count","group_by_time":"played_at","granularity":"day"`, "count"},
			{`"stream":"play_history","metric":"count","group_by_time":"played_at","granularity":"weekday",` +
				`"time_zone":"Asia/Kathmandu"`, "count"},
		} {
			all := groupsOf(t, c.call(t, "aggregate", `{`+test.arguments+`,"sort":"key","limit":100}`))
			byTime := strings.Contains(test.arguments, "group_by_time")
			for sort, order := range map[string]func(a, b map[string]any) int{
				"value":  func(a, b map[string]any) int { return compareNumbers(a[test.want], b[test.want]) },
				"-value": func(a, b map[string]any) int { return compareNumbers(b[test.want], a[test.want]) },
				"-key":   nil,
			} {
				read := c.call(t, "aggregate", fmt.Sprintf(`{%s,"sort":%q,"limit":5}`, test.arguments, sort))
				got := groupsOf(t, read)
				if !strings.Contains(read.text, "sort=") && !(sort == "-value" && !byTime && test.want == "count") {
					t.Errorf("%s: the text does not say the order: %.200s", test.arguments, read.text)
				}
				if strings.Contains(test.arguments, `"day"`) {
					if order != nil && !slices.IsSortedFunc(got, order) || len(got) != 5 {
						t.Errorf("%s %s: %v", test.arguments, sort, got)
					}
					continue // more than a hundred groups
				}
				want := slices.Clone(all)
				if order == nil {
					slices.Reverse(want)
				} else {
					slices.SortStableFunc(want, order)
				}
				if diff := cmp.Diff(want[:min(5, len(want))], got); diff != "" {
					t.Errorf("%s: %s by %s (-want +got):\n%s", reads, test.arguments, sort, diff)
				}
			}
		}
	}
}

func groupsOf(t *testing.T, read page) []map[string]any {
	t.Helper()
	groups := make([]map[string]any, len(read.Data.Groups))
	for i, group := range read.Data.Groups {
		if err := json.Unmarshal(group, &groups[i]); err != nil {
			t.Fatal(err)
		}
	}
	return groups
}

func compareNumbers(a, b any) int {
	switch x, y := a.(float64), b.(float64); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// R-TIME-8: a date has no zone. Its groups are the same in every zone, at a provider that shifts dates too, and the
// result says so.
func TestDatesKeepTheirDays(t *testing.T) {
	for _, reads := range resource.AllReads() {
		box, url := sandboxtest.Serve(t, sandbox.Options{
			PublicURL: provider, Seed: 1, Reads: reads, Quirks: resource.Quirks{ShiftedDates: true},
		})
		client, err := rs.NewClient(rs.Options{
			BaseURL: url, ProviderURL: provider,
			Bearer: rs.NewSecret(box.Tokens()["everything"]),
		})
		if err != nil {
			t.Fatal(err)
		}
		c := newCaller(&watched{Reader: client}, 20_000)
		for _, granularity := range []string{"month", "weekday"} {
			for _, others := range []string{``, `,"filter":{"category":"groceries"}`, `,"sort":"-value"`} {
				arguments := `{"stream":"transactions","metric":"count","group_by_time":"booked_on","granularity":"` +
					granularity + `"` + others
				want := c.call(t, "aggregate", arguments+`}`)
				got := c.call(t, "aggregate", arguments+`,"time_zone":"America/Los_Angeles"}`)
				if diff := cmp.Diff(want.Data.Groups, got.Data.Groups); diff != "" {
					t.Errorf("%s by %s%s (-UTC +Los Angeles):\n%s", reads, granularity, others, diff)
				}
				const said = "they are grouped as they are, not in America/Los_Angeles"
				if strings.Count(got.text, said) != 1 || !strings.Contains(got.text, tally.WarnAsWritten) ||
					strings.Contains(want.text, said) {
					t.Errorf("%s by %s%s: it does not say once that dates have no zone: %.600s", reads, granularity, others, got.text)
				}
			}
		}
	}
}
