package scan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-SCAN-6, R-SCAN-7: over random data, bounds, page sizes and interruptions no answer claims an absence, a count or an
// order that the data denies, and the pages joined are all rows that match, each once.
func TestNoAnswerClaimsWhatTheDataDenies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		server := &standIn{}
		for n := range rapid.IntRange(0, 180).Draw(t, "records") {
			at := fmt.Sprintf("2026-%02d-%02dT10:00:00Z", rapid.IntRange(1, 3).Draw(t, "month"), rapid.IntRange(1, 28).Draw(t, "day"))
			server.records = append(server.records, number(n, at, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "kind"),
				rapid.SampledFrom([]int{0, 0, 0, 7_000}).Draw(t, "length")))
		}
		faults := rapid.IntRange(7, 40).Draw(t, "fault")
		server.fail = func(request int) error {
			switch request % faults {
			case 0:
				return &rs.Error{Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Message: "wait", RetryAfter: "60", URL: provider}
			case 1 + faults/2:
				return &rs.Failure{Reason: rs.Timeout, Message: "late"}
			}
			return nil
		}
		direction := rapid.SampledFrom([]string{"asc", "desc"}).Draw(t, "order")
		filter, from, until := `{"kind":"a"}`, "", "9"
		if rapid.Bool().Draw(t, "bounded") {
			from, until = "2026-01-20", "2026-03-02T10:00:00Z"
			filter = `{"kind":"a","at":{"gte":"2026-01-20","lte":"2026-03-02T10:00:00Z"}}`
		}
		arguments := fmt.Sprintf(`{"stream":"notes","connection_id":"cin_1","order":%q,"limit":%d,"filter":%s,"count":%q}`,
			direction, rapid.IntRange(1, 100).Draw(t, "limit"), filter, rapid.SampledFrom([]string{"none", "exact"}).Draw(t, "count"))
		if rapid.Bool().Draw(t, "narrow") {
			arguments = strings.Replace(arguments, `"order"`, `"fields":["n"],"order"`, 1)
		}
		var want []string
		for _, record := range server.sorted(direction) {
			if record.others.Text("kind") == "a" && from <= record.at && record.at <= until {
				want = append(want, "cin_1/notes:"+record.key)
			}
		}
		env := tool.Env{RS: server, Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: rapid.IntRange(15, 300).Draw(t, "most")})}
		got := joined(t, env, arguments, len(server.records), want)
		if !slices.Equal(got, want) {
			t.Fatalf("joined %q, want %q", got, want)
		}
	})
}

// joined follows the calls from page to page; one that fails is made again.
func joined(t *rapid.T, env tool.Env, arguments string, records int, want []string) []string {
	var got []string
	var looked, matched int64
	for calls := 0; ; calls++ {
		if calls > 5_000 {
			t.Fatal("the calls do not end")
		}
		result, err := definition("query_records").Run(t.Context(), env, json.RawMessage(arguments))
		if err != nil {
			var refused *rs.Error
			var failure *rs.Failure
			if !errors.As(err, &refused) && !errors.As(err, &failure) || refused != nil && refused.Status != http.StatusTooManyRequests {
				t.Fatal(err)
			}
			continue
		}
		var read page
		if err := json.Unmarshal(result.Structured, &read); err != nil {
			t.Fatal(err)
		}
		var count struct{ Value int }
		if json.Unmarshal(read.Data.Meta.Count, &count) == nil && count.Value != len(want) {
			t.Fatalf("it counts %d, and %d match", count.Value, len(want))
		}
		for _, row := range read.Data.Data {
			var members struct{ Handle string }
			if err := json.Unmarshal(row, &members); err != nil {
				t.Fatal(err)
			}
			got = append(got, members.Handle)
		}
		isEnd := !read.Data.HasMore
		if isEnd && !read.Reading.Complete || isEnd && len(got) < len(want) {
			t.Fatalf("it ends after %d of %d rows: %s", len(got), len(want), result.Text)
		}
		if !strings.Contains(result.Text, fmt.Sprintf("complete=%t", read.Reading.Complete)) {
			t.Fatalf("the channels differ: %s", result.Text)
		}
		looked, matched = looked+read.Reading.Read, matched+read.Reading.Matched
		isAll := looked == int64(records) || looked < int64(records) && strings.Contains(arguments, `"at"`) // which the order of the list bounds
		if isEnd && strings.Contains(arguments, `"none"`) && (!isAll || matched != int64(len(want))) {
			t.Fatalf("the calls read %d of %d records, and %d of %d matched", looked, records, matched, len(want))
		}
		if isEnd {
			return got
		}
		for _, call := range read.Next {
			if strings.Contains(string(call.Arguments), `"cursor":`) {
				arguments = string(call.Arguments)
			}
		}
	}
}

func definition(name string) tool.Definition {
	for _, each := range gen.Surface().Tools {
		if each.Name == name {
			return each
		}
	}
	panic("no tool " + name)
}

// R-SCAN-6: aggregates joined over their rests are the whole, whatever was interrupted.
func TestRestsAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		server := &standIn{}
		want := map[string]int{}
		for n := range rapid.IntRange(0, 700).Draw(t, "records") {
			kind := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "kind")
			server.records = append(server.records, number(n, fmt.Sprintf("2026-%02d-%02dT10:00:00Z", 1+n%12, 1+n%28), kind, 0))
			want[kind] += n
		}
		env := tool.Env{RS: server, Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: rapid.IntRange(60, 1_000).Draw(t, "most")})}
		const arguments = `{"stream":"notes","connection_id":"cin_1","metric":"sum","field":"n","group_by":"kind"}`
		got := map[string]int{}
		for next := arguments; next != ""; {
			result, err := definition("aggregate").Run(t.Context(), env, json.RawMessage(next))
			if err != nil {
				t.Fatal(err)
			}
			var read page
			if err := json.Unmarshal(result.Structured, &read); err != nil {
				t.Fatal(err)
			}
			for _, group := range read.Data.Groups {
				var g struct {
					Key   string
					Value int
				}
				if err := json.Unmarshal(group, &g); err != nil {
					t.Fatal(err)
				}
				got[g.Key] += g.Value
			}
			if next = ""; len(read.Next) > 0 {
				next = string(read.Next[0].Arguments)
			}
			if read.Reading.Complete != (next == "") {
				t.Fatal(result.Text)
			}
		}
		if encode(got) != encode(want) {
			t.Fatalf("joined %v, want %v", got, want)
		}
	})
}
