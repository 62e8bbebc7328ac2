package scan_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// R-TIME-6: counts over all streams are the sums of the counts of each, by stream, by period, and in a range of time.
func TestCountsOfEveryStream(t *testing.T) {
	for _, reads := range resource.AllReads() {
		c := newCaller(sandboxOf(t, reads, "everything"), 20_000)
		byStream := groupsOf(t, c.call(t, "aggregate", `{"stream":"*","metric":"count","group_by":"stream"}`))
		total := 0.0
		for _, group := range byStream {
			own := c.call(t, "aggregate", fmt.Sprintf(`{"stream":%q,"metric":"count"}`, group["key"]))
			if string(own.Data.Value) != fmt.Sprint(group["count"]) {
				t.Errorf("%s: %v of %v, want %s", reads, group["count"], group["key"], own.Data.Value)
			}
			total += group["count"].(float64)
		}
		if all := c.call(t, "aggregate", `{"stream":"*","metric":"count"}`); string(all.Data.Value) != fmt.Sprint(total) ||
			!all.Reading.Complete {
			t.Errorf("%s: %s in all, want %v", reads, all.Data.Value, total)
		}
		for _, arguments := range []string{ // R-SCAN-6: a record counts once that a call reads twice
			`{"stream":"*","metric":"count","filter":{"time":{"gte":"2020-01-01"}}}`,
			`{"stream":"*","metric":"count","group_by_time":"time","granularity":"month","filter":{"time":{"gte":"2020-01-01"}}}`,
		} {
			if read := c.call(t, "aggregate", arguments); float64(read.Reading.Read) > total {
				t.Errorf("%s: %d records read of %v\n%s", reads, read.Reading.Read, total, read.text)
			}
		}
		const march = `"filter":{"time":{"gte":"2026-03-09","lt":"2026-03-16"}}`
		rows := c.all(t, `{"stream":"*","limit":100,`+march+`}`)
		for _, grouping := range []string{
			`"group_by_time":"time","granularity":"day"`, `"group_by_time":"time","granularity":"weekday"`,
			`"group_by":"stream"`, `"group_by":"stream","group_by_time":"time","granularity":"day"`,
		} {
			read := c.call(t, "aggregate", `{"stream":"*","metric":"count",`+grouping+`,`+march+`}`)
			sum := 0.0
			for _, group := range groupsOf(t, read) {
				sum += group["count"].(float64)
			}
			if int(sum) != len(rows) || !read.Reading.Complete {
				t.Errorf("%s: %s: %v records, and %d rows of the timeline\n%s", reads, grouping, sum, len(rows), read.text)
			}
		}
		weekdays := groupsOf(t, c.call(t, "aggregate",
			`{"stream":"*","metric":"count","group_by_time":"time","granularity":"weekday",`+march+`}`))
		if len(weekdays) != 7 || weekdays[0]["key"] != "Monday" {
			t.Errorf("%s: weekdays %v", reads, weekdays)
		}
	}
}

// R-AGG-5, R-TIME-6: the order of periods is over all of them, also where a stream has more than a page of groups.
func TestCountsInOrderOfEveryPeriod(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsOpen, "everything"), 20_000)
	byDay := func(first, next, others string) page {
		return c.call(t, "aggregate", fmt.Sprintf(
			`{"stream":"*","metric":"count","group_by_time":"time","granularity":"day","filter":{"time":{"gte":"%s-01",`+
				`"lt":"%s-01"}}%s}`, first, next, others))
	}
	months := []string{"2025-11", "2025-12", "2026-01", "2026-02", "2026-03", "2026-04"}
	counts := map[string]float64{}
	for i, month := range months[1:] {
		for _, day := range groupsOf(t, byDay(months[i], month, "")) {
			counts[day["key"].(string)] = day["count"].(float64)
		}
	}
	latest := slices.Sorted(maps.Keys(counts))
	slices.Reverse(latest)
	largest := slices.SortedFunc(maps.Keys(counts),
		func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	for sort, want := range map[string][]string{"-value": largest, "-key": latest} {
		read := byDay(months[0], months[5], `,"limit":3,"sort":"`+sort+`"`)
		for i, group := range groupsOf(t, read) {
			if group["key"] != want[i] || group["count"] != counts[want[i]] || !read.Reading.Complete || len(want) < 120 {
				t.Errorf("%s: %v, want %s with %v of %d days\n%s", sort, group, want[i], counts[want[i]], len(want), read.text)
			}
		}
	}
}

// R-TIME-6: what is not a count over all streams is refused with what is accepted.
func TestCountsRefuse(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	for arguments, param := range map[string]string{
		`{"stream":"*","metric":"sum","field":"amount"}`:           "metric",
		`{"stream":"*","metric":"count","group_by":"artist_name"}`: "group_by",
		`{"stream":"*","metric":"count","group_by_time":"played_at",` +
			`"granularity":"day"}`: "group_by_time",
		`{"stream":"*","metric":"count","filter":{"is_seen":true}}`: "filter",
		`{"stream":"*","metric":"count",` +
			`"connection_id":"cin_nobody"}`: "connection_id",
		`{"stream":"*","metric":"count","group_by_time":"time","granularity":"day","time_zone":"Europe/Berlim"}`: "time_zone",
		`{"stream":"*","metric":"count","group_by_time":"time","granularity":"day","time_zone":"Local"}`:         "time_zone",
		`{"stream":"*","metric":"count","time_zone":"UTC\n"}`:                                                    "time_zone",
	} {
		_, err := c.try(t, "aggregate", arguments)
		var refused *tool.Error
		if !errors.As(err, &refused) || refused.Param != param || param == "metric" &&
			(refused.Code != tool.InvalidArguments || !slices.Equal(refused.Accepted, []string{"count"})) ||
			!strings.Contains(refused.Message, `"*"`) &&
				!slices.Contains([]string{"filter", "connection_id", "time_zone"}, param) {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}
