package tally_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
)

// row has the fields that the reference below reads.
type row map[string]any

var (
	keys = rapid.SampledFrom([]string{
		`"a"`, `"b"`, `"\u0061"`, `"B"`, `true`, `false`, `3`, `3.0`, `10`, `null`,
		`["a","b","a"]`, `["b",null]`, `[]`, ``,
	})
	times = rapid.SampledFrom([]string{
		`"2026-03-01"`, `"2026-03-01T23:30:00-05:00"`, `"2026-03-29T00:59:59Z"`,
		`"2026-03-29T01:00:00Z"`, `"2025-12-29T12:00:00Z"`, `"soon"`, `7`, `null`,
		`["2026-03-01","2026-03-01T01:00:00Z","2024-02-29"]`, ``,
	})
	values = rapid.SampledFrom([]string{
		`1`, `1.0`, `-2.5`, `0.1`, `0.2`, `1e3`, `12345678901234567890`, `"x"`, `"-4.5"`,
		`"2026-03-01"`, `null`, `[1,0.1,"x"]`, `[]`, `{}`, `true`, ``,
	})
)

// record returns a record whose fields are not always there.
func record(t *rapid.T) rawjson.Value {
	var members rawjson.Object
	for name, values := range map[string]*rapid.Generator[string]{"k": keys, "at": times, "v": values} {
		if value := values.Draw(t, name); value != "" {
			members = append(members, rawjson.Raw(name, rawjson.Value(value)))
		}
	}
	slices.SortFunc(members, func(a, b rawjson.Member) int { return cmp.Compare(a.Name, b.Name) })
	return members.Encode()
}

// Whatever the records and their order, counts and sums are those of a plain reading of them, and what the groups do
// not show is in other_count (R-SCAN-3).
func TestTalliesAreThoseOfAPlainReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		query := tally.Query{
			Stream: "s", Metric: rapid.SampledFrom([]string{"count", "sum", "count_distinct"}).Draw(t, "metric"),
			GroupBy:     rapid.SampledFrom([]string{"", "k", "v"}).Draw(t, "group_by"),
			GroupByTime: rapid.SampledFrom([]string{"", "at"}).Draw(t, "group_by_time"),
		}
		if query.Metric != "count" {
			query.Field = "v"
		}
		if query.GroupByTime != "" {
			query.Granularity = rapid.SampledFrom([]string{"minute", "hour", "day", "week", "month", "quarter", "year"}).Draw(t,
				"granularity")
			query.TimeZone = rapid.SampledFrom([]string{"", "Europe/Berlin", "America/New_York"}).Draw(t, "time_zone")
		}
		if query.GroupBy+query.GroupByTime != "" {
			query.Limit = rapid.IntRange(1, 20).Draw(t, "limit")
		}
		counting, err := tally.New(query)
		if err != nil {
			t.Fatal(err)
		}
		reference := map[string]*group{}
		records := rapid.IntRange(0, 30).Draw(t, "records")
		for range records {
			fields := record(t)
			counting.Add(rawjson.NewCursor(fields))
			addPlainly(t, reference, query, decode(t, fields))
		}
		compareGroups(t, counting, query, reference, int64(records))
	})
}

// decode decodes a record with its numbers as they are compared.
func decode(t *rapid.T, fields rawjson.Value) row {
	var read row
	decoder := json.NewDecoder(bytes.NewReader(fields))
	decoder.UseNumber()
	if err := decoder.Decode(&read); err != nil {
		t.Fatal(err)
	}
	for name, value := range read {
		read[name] = plain(value)
	}
	return read
}

func plain(value any) any {
	switch value := value.(type) {
	case json.Number:
		if float, err := value.Float64(); err == nil && strings.ContainsAny(value.String(), ".e") {
			return json.Number(fmt.Sprint(float))
		}
	case []any:
		for i, element := range value {
			value[i] = plain(element)
		}
	}
	return value
}

// group is one group of the reference.
type group struct {
	records  int64
	sum      *big.Rat
	distinct map[string]bool

	measured bool // the sum is of something
}

// addPlainly counts a record into each pair of a key and a time that it has.
func addPlainly(t *rapid.T, groups map[string]*group, query tally.Query, read row) {
	named := map[string]bool{}
	for _, key := range elements(read[query.GroupBy]) {
		for _, at := range elements(read[query.GroupByTime]) {
			named[name(t, query, key, at)] = true
		}
	}
	for name := range named {
		if groups[name] == nil {
			groups[name] = &group{sum: new(big.Rat), distinct: map[string]bool{}}
		}
		groups[name].records++
		for _, value := range elements(read["v"]) {
			if value == nil {
				continue
			}
			if exact, ok := new(big.Rat).SetString(fmt.Sprint(value)); ok { // also of a text that spells a number
				groups[name].sum.Add(groups[name].sum, exact)
				groups[name].measured = true
			}
			groups[name].distinct[fmt.Sprintf("%T %v", value, value)] = true
		}
	}
}

// elements returns a value, or the elements of an array, or null for an empty one.
func elements(value any) []any {
	list, isList := value.([]any)
	if !isList {
		return []any{value}
	}
	if list = slices.DeleteFunc(slices.Clone(list), func(v any) bool { return v == nil }); len(list) == 0 {
		return []any{nil}
	}
	return list
}

// name returns a key and the start of a bucket.
func name(t *rapid.T, query tally.Query, key, at any) string {
	text, _ := json.Marshal(key)
	if query.GroupByTime == "" {
		return string(text)
	}
	moment, err := time.Parse(time.RFC3339, fmt.Sprint(at))
	name := query.TimeZone
	if err != nil { // a date has no zone
		name = ""
		moment, err = time.Parse(time.DateOnly, fmt.Sprint(at))
	}
	start := "null"
	if err == nil {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		start = `"` + startOf(moment.In(zone), query.Granularity) + `"`
	}
	if query.GroupBy == "" {
		return start
	}
	return string(text) + " " + start
}

func startOf(at time.Time, granularity string) string {
	switch granularity {
	case "minute":
		return at.Format("2006-01-02T15:04")
	case "hour":
		return at.Format("2006-01-02T15:00")
	case "week":
		for at.Weekday() != time.Monday {
			at = at.AddDate(0, 0, -1)
		}
	case "month":
		return at.Format("2006-01-01"[:7]) + "-01"
	case "quarter":
		return fmt.Sprintf("%04d-%02d-01", at.Year(), (int(at.Month())-1)/3*3+1)
	case "year":
		return fmt.Sprintf("%04d-01-01", at.Year())
	}
	return at.Format(time.DateOnly)
}

// body is an aggregation as a reader of it sees it.
type body struct {
	Records int64           `json:"filtered_record_count"`
	Value   json.RawMessage `json:"value"`
	Groups  []struct {
		Key   json.RawMessage `json:"key"`
		Time  json.RawMessage `json:"time"`
		Count int64           `json:"count"`
		Value json.RawMessage `json:"value"`
	} `json:"groups"`
	Limit      int   `json:"limit"`
	OtherCount int64 `json:"other_count"`
}

// encoded returns an aggregation in the resource server's envelope.
func encoded(counting *tally.Tally) []byte {
	found := counting.Answer()
	body := append(rawjson.Object{rawjson.String("object", "aggregation")}, found.Members...)
	if found.IsGrouped {
		groups := make([]rawjson.Value, len(found.Groups))
		for i, group := range found.Groups {
			groups[i] = group.Members.Encode()
		}
		body = append(body, rawjson.Raw("groups", rawjson.Array(groups)))
	}
	return body.Encode()
}

func read(t interface{ Fatal(...any) }, counting *tally.Tally) body {
	var read body
	if err := json.Unmarshal(encoded(counting), &read); err != nil {
		t.Fatal(err)
	}
	return read
}

func compareGroups(t *rapid.T, counting *tally.Tally, query tally.Query, reference map[string]*group, records int64) {
	got := read(t, counting)
	if got.Records != records {
		t.Fatalf("%d records of %d", got.Records, records)
	}
	if query.GroupBy+query.GroupByTime == "" {
		if len(reference) == 0 {
			reference["null"] = &group{sum: new(big.Rat)}
		}
		compareValue(t, query, reference["null"], got.Value)
		return
	}
	if counting.Groups() != len(reference) {
		t.Fatalf("%d groups are reported of %d", counting.Groups(), len(reference))
	}
	others := int64(0)
	for _, each := range reference {
		others += each.records
	}
	for _, shown := range got.Groups {
		name := string(shown.Key)
		if shown.Time != nil {
			name += " " + string(shown.Time)
		}
		want := reference[name]
		if want == nil || want.records != shown.Count {
			t.Fatalf("group %s is %+v, want %+v", name, shown, want)
		}
		if query.Metric != "count" {
			compareValue(t, query, want, shown.Value)
		}
		others -= want.records
		delete(reference, name)
	}
	if others != got.OtherCount || len(reference) > 0 && len(got.Groups) < query.Limit {
		t.Fatalf("other_count is %d, want %d; %d groups are left out", got.OtherCount, others, len(reference))
	}
	for _, hidden := range reference {
		if query.Metric == "count" && query.GroupByTime == "" && hidden.records > got.Groups[len(got.Groups)-1].Count {
			t.Fatalf("a group of %d is left out", hidden.records)
		}
	}
}

func compareValue(t *rapid.T, query tally.Query, want *group, got json.RawMessage) {
	switch query.Metric {
	case "count":
		if string(got) != fmt.Sprint(want.records) {
			t.Fatalf("counted %s of %d", got, want.records)
		}
	case "count_distinct":
		if string(got) != fmt.Sprint(len(want.distinct)) {
			t.Fatalf("distinct apart %s of %v", got, want.distinct)
		}
	case "sum":
		if string(got) == "null" && !want.measured {
			return
		}
		if sum, ok := new(big.Rat).SetString(string(got)); !ok || sum.Cmp(want.sum) != 0 {
			t.Fatalf("the sum is %s, want %s", got, want.sum.FloatString(3))
		}
	}
}
