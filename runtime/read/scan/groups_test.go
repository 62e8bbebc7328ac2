package scan_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// R-SCAN-1, R-SCAN-3: filtered aggregates are those of a provider that filters.
func TestFilteredAggregates(t *testing.T) {
	closed := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	open := newCaller(sandboxOf(t, resource.ReadsOpen, "everything"), 20_000)
	for _, arguments := range []string{
		`{"stream":"messages","connection_id":"cin_gmail_personal","metric":"count","filter":{"is_seen":true}}`,
		`{"stream":"messages","connection_id":"cin_gmail_personal","metric":"count","group_by":"is_seen",` +
			`"filter":{"received_at":{"gte":"2026-01-01"}}}`,
		`{"stream":"messages","connection_id":"cin_gmail_personal","metric":"count","group_by_time":"received_at",` +
			`"granularity":"month","time_zone":"Europe/Berlin","filter":{"is_seen":true}}`,
		`{"stream":"messages","connection_id":"cin_gmail_personal","metric":"max","field":"received_at",` +
			`"filter":{"is_seen":false}}`,
	} {
		t.Run(arguments, func(t *testing.T) {
			got, want := closed.call(t, "aggregate", arguments), open.call(t, "aggregate", arguments)
			if got.Reading == nil || !got.Reading.Complete || want.Reading != nil {
				t.Fatalf("reading %+v, and of the open provider %+v", got.Reading, want.Reading)
			}
			if diff := cmp.Diff(texts(want.Data.Groups), texts(got.Data.Groups)); diff != "" ||
				string(got.Data.Value) != string(want.Data.Value) {
				t.Errorf("value %s, want %s; groups (-open +v0.1):\n%s", got.Data.Value, want.Data.Value, diff)
			}
		})
	}
}

func texts(values []json.RawMessage) []string {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = string(value)
	}
	return all
}

// R-SCAN-3: what no resource server tallies, at either provider; at one that filters, it filters.
func TestTallies(t *testing.T) {
	const arguments = `{"stream":"play_history","connection_id":"cin_spotify","metric":"sum","field":"ms_played",` +
		`"group_by_time":"played_at","granularity":"month","filter":{"played_at":{"gte":"2026-01-01"}}}`
	for _, reads := range resource.AllReads() {
		c := newCaller(sandboxOf(t, reads, "everything"), 20_000)
		read := c.call(t, "aggregate", arguments)
		if read.Reading == nil || !read.Reading.Complete || len(read.Data.Groups) != 4 {
			t.Errorf("%s: %s", reads, read.text)
		}
		filters := 0
		for _, sent := range c.taken() {
			if strings.Contains(sent, "/records?") && strings.Contains(sent, "filter%5B") {
				filters++
			}
		}
		if (filters > 0) != (reads == resource.ReadsOpen) {
			t.Errorf("%s: %d pages with a filter", reads, filters)
		}
	}
}

// R-AGG-4, R-SCAN-3: groups of a key and a time that are cut are not the largest, and both channels say which they are.
func TestCutGroupsOfKeysAndTimes(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	read := c.call(t, "aggregate",
		`{"stream":"play_history","metric":"count","group_by":"artist_name","group_by_time":"played_at",`+
			`"granularity":"day","limit":5}`)
	const said = "These are the first 5 groups: all times of the greatest key, then of the next; other_count records " +
		"are in groups that are not shown"
	if !strings.Contains(read.text, said) || !strings.HasPrefix(read.Note, said) || read.Data.OtherCount == 0 {
		t.Errorf("%s\nnote: %s", read.text, read.Note)
	}
}

// R-AGG-2: a reading counts the groups that the limit leaves out, unless there are too many to distinguish.
func TestFurtherGroups(t *testing.T) {
	timetest.WithoutRace(t)
	server := many(10_001)
	env := tool.Env{Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000})}
	for filter, further := range map[string]string{"9999": "9993", "10000": "unknown", "6": "0"} {
		read, err := server.call(t, env, "aggregate",
			`{"stream":"notes","metric":"sum","field":"n","group_by":"n","limit":7,"filter":{"n":{"lte":`+filter+`}}}`)
		if err != nil {
			t.Fatal(err)
		}
		if !read.Reading.Complete || !strings.Contains(read.text, "groups=7 limit=7 further_groups="+further+" ") {
			t.Errorf("not %s further groups: %.600s", further, read.text)
		}
	}
}

// R-SCAN-3: amounts that a source writes as texts add up, exactly, and the answer says what was added. A range
// with a number as its bound compares them by value (R-SCAN-2), and so do max, min and an order. A bound that is text
// is warned of.
func TestNumbersAsTexts(t *testing.T) {
	for _, reads := range resource.AllReads() {
		c := newCaller(sandboxOf(t, reads, "everything"), 20_000)
		cents := c.call(t, "aggregate", `{"stream":"transactions","metric":"sum","field":"amount_cents"}`)
		euros := c.call(t, "aggregate", `{"stream":"transactions","metric":"sum","field":"amount"}`)
		if string(cents.Data.Value) != strings.ReplaceAll(string(euros.Data.Value), ".", "") ||
			!strings.Contains(euros.text, `code="numbers_as_text"`) {
			t.Errorf("%s: %s cents, and %s", reads, cents.Data.Value, euros.text)
		}
	}
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	byValue := c.call(t, "aggregate", `{"stream":"transactions","metric":"count","filter":{"amount":{"lt":-1000}}}`)
	ofCents := c.call(t, "aggregate",
		`{"stream":"transactions","metric":"count","filter":{"amount_cents":{"lt":-100000}}}`)
	if string(byValue.Data.Value) != string(ofCents.Data.Value) || strings.Contains(byValue.text, "warning") {
		t.Errorf("%s amounts and %s in cents: %s", byValue.Data.Value, ofCents.Data.Value, byValue.text)
	}
	asText := c.call(t, "query_records", `{"stream":"transactions","filter":{"amount":{"lt":"-1000"}},"limit":3}`)
	if !strings.Contains(asText.text, "Pass the number -1000 to compare by value.") {
		t.Errorf("no warning of the bound: %s", asText.text)
	}
	greatest := c.call(t, "aggregate", `{"stream":"transactions","metric":"max","field":"amount"}`)
	inCents := c.call(t, "aggregate", `{"stream":"transactions","metric":"max","field":"amount_cents"}`)
	if strings.NewReplacer(".", "", `"`, "").Replace(string(greatest.Data.Value)) != string(inCents.Data.Value) {
		t.Errorf("the greatest is %s, in cents %s", greatest.Data.Value, inCents.Data.Value)
	}
}

// R-SCAN-9, R-CLAIM-3, R-CLAIM-8: a filter that matched nothing shows the values of its fields, and a near one as a
// call. Conditions that match only alone are counted alone, on both kinds of provider.
func TestOtherValuesAreNamed(t *testing.T) {
	for _, reads := range resource.AllReads() {
		testValuesSeen(t, newCaller(sandboxOf(t, reads, "everything"), 20_000))
	}
}

func testValuesSeen(t *testing.T, c caller) {
	t.Helper()
	for call, want := range map[[2]string]string{
		{"query_records", `{"stream":"transactions","filter":{"category":"groceries",` +
			`"amount_cents":{"gte":0}}}`}: `No record matches all conditions; records alone: 175 with category="groceries", `,
		{"aggregate", `{"stream":"transactions","metric":"count","filter":{"category":"groceries",` +
			`"amount_cents":{"gte":0}}}`}: `No record matches all conditions; records alone: 175 with category="groceries", `,
		{"query_records", `{"stream":"transactions",` +
			`"filter":{"category":"groceris"}}`}: `try: query_records {"stream":"transactions",` +
			`"filter":{"category":"groceries"}}`,
		{"query_records", `{"stream":"events","filter":{"starts_at":{"gte":"2026-03-18",` +
			`"lte":"2026-03-18"}}}`}: `lte leaves out the rest of 2026-03-18`,
		{
			"query_records",
			`{"stream":"events","filter":{"starts_at":{"gte":"2026-03-01","lte":"2026-03-18"}},"limit":2}`,
		}: `lte leaves out the rest of 2026-03-18`,
		{"aggregate", `{"stream":"chat_messages","metric":"count",` +
			`"filter":{"user_name":"Nora"}}`}: `next (instead): aggregate {"stream":"chat_messages","metric":"count",` +
			`"filter":{"user_name":"nora"}}`,
		{"query_records", `{"stream":"chat_messages",` +
			`"filter":{"user_name":"jonass"}}`}: `try: query_records {"stream":"chat_messages","filter":{"user_name":"jonas"}}`,
		{
			"query_records",
			`{"stream":"chat_messages","filter":{"user_name":"zebra"}}`,
		}: `values seen: "nora", `,
		{"query_records", `{"stream":"chat_messages","filter":{"reply_count":"99",` +
			`"is_pinned":false}}`}: `No record has reply_count="99"; values seen: `,
	} {
		if read := c.call(t, call[0], call[1]); !strings.Contains(read.text, want) {
			t.Errorf("%s %s lacks %q: %s", call[0], call[1], want, read.text)
		}
	}
}

// R-SCAN-9, R-CLAIM-8: values that are only some of a field's are counted, and both channels have the call that lists
// all of them, or finds a word in long texts, with either kind of provider.
func TestMoreValuesThanAreShown(t *testing.T) {
	const categories = `{"stream":"transactions","metric":"count","group_by":"category","limit":100}`
	for _, reads := range resource.AllReads() {
		c := newCaller(sandboxOf(t, reads, "everything"), 20_000)
		for _, test := range []struct{ tool, arguments, says, word, call, offered string }{
			{
				"aggregate", `{"stream":"transactions","metric":"count","filter":{"category":"gambling"}}`,
				`No record has category="gambling"; 10 of 17 values seen: `, "next (instead)", "aggregate", categories,
			},
			{
				"query_records", `{"stream":"transactions","filter":{"category":"gambling"}}`,
				`No record has category="gambling"; 10 of 17 values seen: `, "try", "aggregate", categories,
			},
			{
				"query_records", `{"stream":"messages","connection_id":"cin_gmail_personal","filter":{"from_name":"Aiko Tanaka"}}`,
				`No record has from_name="Aiko Tanaka"; 10 of `, "try", "aggregate",
				`{"stream":"messages","connection_id":"cin_gmail_personal","metric":"count","group_by":"from_name","limit":100}`,
			},
			{
				"query_records", `{"stream":"messages","filter":{"subject":"overdraft"}}`,
				` values seen: `, "try", "search", `{"q":"overdraft"}`,
			},
			{
				"query_records", `{"stream":"messages","filter":{"subject":"overdraft"}}`,
				"A text in a filter matches whole values only.", "try", "search", `{"q":"overdraft"}`,
			},
		} {
			read, err := c.try(t, test.tool, test.arguments)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{test.says, "\n" + test.word + ": " + test.call + " " + test.offered} {
				if !strings.Contains(read.Text, want) {
					t.Errorf("%s %s lacks %q: %s", test.tool, test.arguments, want, read.Text)
				}
			}
			for _, want := range []string{
				strings.ReplaceAll(test.says, `"`, `\"`), `{"tool":"` + test.call + `","arguments":` + test.offered,
			} {
				if !strings.Contains(string(read.Structured), want) {
					t.Errorf("%s %s lacks %q: %s", test.tool, test.arguments, want, read.Structured)
				}
			}
		}
	}
}

// R-SCAN-6: an aggregate that is not complete says so and shows the same one of the rest; together they are the whole.
func TestAggregatesOfTheRest(t *testing.T) {
	box := sandboxOf(t, resource.ReadsV01, "everything")
	whole := newCaller(box, 20_000)
	for name, arguments := range map[string]string{
		"a filter": `{"stream":"play_history","connection_id":"cin_spotify","metric":"count","group_by_time":"played_at",` +
			`"granularity":"month","limit":100,"filter":{"ms_played":{"gte":30000}}}`,
		"a sum": `{"stream":"play_history","connection_id":"cin_spotify","metric":"sum","field":"ms_played",` +
			`"group_by_time":"played_at","granularity":"month","limit":100}`,
		"bounds": `{"stream":"play_history","connection_id":"cin_spotify","metric":"sum","field":"ms_played",` +
			`"group_by_time":"played_at","granularity":"month","limit":100,"filter":{"played_at":{"gte":"2025-09-01",` +
			`"lt":"2026-04-01"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			want := sums(t, nil, whole.call(t, "aggregate", arguments))
			got, calls := map[string]float64{}, 0
			for c, next := newCaller(box, 350), arguments; next != "" && calls < 20; calls++ {
				read := c.call(t, "aggregate", next)
				got = sums(t, got, read)
				if next = ""; len(read.Next) > 0 {
					next = string(read.Next[0].Arguments)
				}
				if read.Reading == nil || read.Reading.Complete != (next == "") ||
					strings.Contains(read.text, "complete=true") != (next == "") {
					t.Fatalf("call %d: %s", calls, read.text)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" || calls < 3 {
				t.Errorf("joined over %d calls (-whole +joined):\n%s", calls, diff)
			}
		})
	}
}

func sums(t *testing.T, into map[string]float64, read page) map[string]float64 {
	t.Helper()
	into = maps.Clone(into)
	if into == nil {
		into = map[string]float64{}
	}
	for _, group := range read.Data.Groups {
		var g struct {
			Key   json.RawMessage
			Time  string
			Count float64
			Value float64
		}
		if err := json.Unmarshal(group, &g); err != nil {
			t.Fatal(err)
		}
		into[string(g.Key)+g.Time+" count"] += g.Count
		into[string(g.Key)+g.Time+" value"] += g.Value
	}
	return into
}

// R-AGG-4: the calls behind time groups lead to all of them, each once, at a provider that filters and at one that does
// not.
func TestTimeGroupsGoOn(t *testing.T) {
	timetest.WithoutRace(t)
	for _, reads := range resource.AllReads() {
		for _, arguments := range []string{
			`{"stream":"play_history","connection_id":"cin_spotify","metric":"count","group_by_time":"played_at",` +
				`"granularity":"hour","time_zone":"America/New_York"}`,
			`{"stream":"play_history","metric":"count","group_by_time":"played_at","granularity":"day",` +
				`"filter":{"played_at":{"gt":"2026-01-01","lt":"2026-06-01"}}}`,
		} {
			c := newCaller(sandboxOf(t, reads, "everything"), 20_000)
			counts := map[string]int64{}
			total, added, calls := int64(-1), int64(0), 0
			for next := arguments; next != ""; calls++ {
				read := c.call(t, "aggregate", next)
				if total < 0 {
					total = read.Data.Filtered
				}
				for _, each := range read.Data.Groups {
					var group struct {
						Key   string `json:"key"`
						Count int64  `json:"count"`
					}
					if err := json.Unmarshal(each, &group); err != nil {
						t.Fatal(err)
					}
					if counts[group.Key] != 0 {
						t.Errorf("%s: %s is shown again", reads, group.Key)
					}
					counts[group.Key] = group.Count
					added += group.Count
				}
				if next = ""; len(read.Next) > 0 {
					next = string(read.Next[0].Arguments)
				}
			}
			if added != total || total == 0 || calls < 2 {
				t.Errorf("%s: %d of %d records in %d groups after %d calls of %s", reads, added, total, len(counts),
					calls, arguments)
			}
		}
	}
}

// R-CLAIM-7: a limit that cuts between groups of equal value says so, in either order, and in both channels.
func TestTiesOfGroups(t *testing.T) {
	for _, reads := range resource.AllReads() {
		c := newCaller(sandboxOf(t, reads, "everything"), 20_000)
		for _, grouped := range []string{
			`{"stream":"messages","connection_id":"cin_gmail_work","metric":"count","group_by":"from_name"`,
			`{"stream":"messages","metric":"count","group_by":"from_name","sort":"-value"`,
			`{"stream":"transactions","metric":"count","group_by_time":"booked_on","granularity":"month","sort":"value"`,
		} {
			counts := func(read page) (counts []int64) {
				for _, group := range read.Data.Groups {
					var members struct{ Count int64 }
					if err := json.Unmarshal(group, &members); err != nil {
						t.Fatal(err)
					}
					counts = append(counts, members.Count)
				}
				return counts
			}
			all := counts(c.call(t, "aggregate", grouped+`,"limit":100}`))
			ties := 0
			for limit := 1; limit < len(all); limit++ {
				read := c.call(t, "aggregate", fmt.Sprintf(`%s,"limit":%d}`, grouped, limit))
				const said = "has the same value as the last one"
				want := all[limit-1] == all[limit]
				if want {
					ties++
				}
				if strings.Contains(read.text, "further_groups=unknown") {
					t.Errorf("%s: one read knows all groups: %s", reads, read.text) // R-AGG-2
				}
				if strings.Contains(read.text, said) != want || strings.Contains(read.Note, said) != want ||
					len(counts(read)) != limit {
					t.Errorf("%s %s, limit %d: a tie: %v\n%s", reads, grouped, limit, want, read.text)
				}
			}
			if ties == 0 {
				t.Errorf("no tie in %s", grouped)
			}
		}
	}
}
