package scan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// R-TIME-1, R-TIME-2: one call shows a day of all streams, at a provider that filters and at one that does not.
func TestTimelineOfADay(t *testing.T) {
	const arguments = `{"stream":"*","limit":100,"filter":{"time":{"gte":"2026-03-11","lt":"2026-03-12"}}}`
	closed := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	open := newCaller(sandboxOf(t, resource.ReadsOpen, "everything"), 20_000)
	read := closed.call(t, "query_records", arguments)
	if diff := cmp.Diff(open.call(t, "query_records", arguments).handles(t), read.handles(t)); diff != "" {
		t.Errorf("handles (-open +v0.1):\n%s", diff)
	}
	if rows := read.handles(t); len(rows) != 15 || !read.Reading.Complete || read.Data.HasMore {
		t.Errorf("%d rows, reading %+v", len(rows), read.Reading)
	}
	for _, said := range []string{
		"2026-03-11 Wednesday:\n", `time_zone="UTC"`,
		"without a time, left out: labels, users",
	} {
		if !strings.Contains(read.text, said) {
			t.Errorf("the text lacks %s:\n%s", said, read.text)
		}
	}
}

// R-TIME-4: the newest page costs at most two pages of each stream, and the next one no page that was used up.
func TestCostOfATimeline(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	first := c.call(t, "query_records", `{"stream":"*","limit":25}`)
	pages := map[string]int{}
	for _, asked := range c.taken() {
		path, query, _ := strings.Cut(asked, "?")
		if strings.HasSuffix(path, "/records") {
			pages[path+" "+between(query, "connection_id=", "&")]++
		}
	}
	for stream, count := range pages {
		if count > 2 {
			t.Errorf("%d reads of %s", count, stream)
		}
	}
	c.call(t, "query_records", string(first.Next[0].Arguments))
	if second := c.taken(); len(second) > len(pages)+5 {
		t.Errorf("the second page took %d reads of %d sources: %q", len(second), len(pages), second)
	}
}

// R-TIME-4: an old day reads no page past its range, from whichever end it is read.
func TestTimelineReadsNoPagePastItsRange(t *testing.T) {
	since, until := epoch, epoch.AddDate(0, 0, 1)
	for _, start := range []int{-10, -90} { // days from the first record to the range, of a hundred days
		server := &life{}
		for _, name := range []string{"a", "b", "c"} {
			stream := &lifeStream{name: name, connection: "cin_1", field: "sent_at"}
			for hour := range 100 * 24 {
				stream.add(hour, time.Duration(start*24+hour)*time.Hour, spellings[0])
			}
			server.streams = append(server.streams, stream)
		}
		past := 0
		server.answered = func(times []string) {
			isOutside := func(at string) bool { return instantOfText(at).Before(since) }
			if instantOfText(times[0]).Before(instantOfText(times[len(times)-1])) { // read from the oldest on
				isOutside = func(at string) bool { return !instantOfText(at).Before(until) }
			}
			if len(times) > 1 && isOutside(times[0]) {
				past++
			}
		}
		env := tool.Env{RS: server, Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000})}
		read, err := timelinePage(env,
			map[string]any{"stream": "*", "limit": 100, "filter": map[string]any{"time": map[string]string{
				"gte": since.Format(time.RFC3339), "lt": until.Format(time.RFC3339),
			}}})
		if err != nil || len(read.all) != 72 || past > 0 {
			t.Errorf("%d: %d rows, %d pages past the range, %v", start, len(read.all), past, err)
		}
	}
}

func between(text, before, after string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, _ = strings.Cut(text, after)
	return text
}

// R-TIME-1, R-ERR-2: what a timeline does not take is refused with the code that fits, and with the calls to make
// instead.
func TestTimelineRefuses(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	for arguments, param := range map[string]string{
		`{"stream":"*","fields":["subject"]}`:                             "fields",
		`{"stream":"*","sort":"received_at"}`:                             "sort",
		`{"stream":"*","count":"exact"}`:                                  "count",
		`{"stream":"*","filter":{"subject":"x"}}`:                         "filter",
		`{"stream":"*","filter":{"time":"2026-03-11"}}`:                   "filter",
		`{"stream":"*","filter":{"time":{"gte":"soon"}}}`:                 "filter",
		`{"stream":"*","filter":{"time":{"gte":"yesterday"}}}`:            "filter",
		`{"stream":"*","cursor":"timeline.e30"}`:                          "cursor",
		`{"stream":"*","cursor":"c1"}`:                                    "cursor",
		`{"stream":"*","connection_id":"cin_nobody"}`:                     "connection_id",
		`{"stream":"*","connection_id":"Team chat"}`:                      "connection_id",
		`{"stream":"*","view":"agenda","filter":{"time":{"gte":"2026"}}}`: "view",
	} {
		_, err := c.try(t, "query_records", arguments)
		var refused *tool.Error
		if !errors.As(err, &refused) || refused.Param != param {
			t.Errorf("%s: %v", arguments, err)
		}
	}
	// the call for one stream names one that has the field
	_, err := c.try(t, "query_records", `{"stream":"*","fields":["track_name"]}`)
	var other *tool.Error
	if !errors.As(err, &other) || other.Code != tool.InvalidArguments || len(other.Instead) != 2 ||
		other.Instead[1].Text("stream") != "play_history" {
		t.Errorf("%+v", other)
	}
	for name, arguments := range map[string]string{
		"query_records": `{"stream":"*","filter":{"track_name":"x"}}`,
		"aggregate":     `{"stream":"*","metric":"count","filter":{"track_name":"x"}}`,
	} {
		_, err := c.try(t, name, arguments)
		if !errors.As(err, &other) || other.Code != tool.InvalidFilter || len(other.Instead) != 1 ||
			other.Instead[0].Text("stream") != "play_history" {
			t.Errorf("%s: %+v", name, other)
		}
	}
	if _, err = c.try(t, "query_records", `{"stream":"*","filter":{"time":{"gte":"soon"}}}`); !errors.As(err, &other) ||
		other.Code != tool.InvalidTimeRange {
		t.Errorf("a range that is not of time: %+v", other)
	}
	off := caller{watched: c.watched}
	var refused *tool.Error
	if _, err := off.try(t, "query_records", `{"stream":"*"}`); !errors.As(err, &refused) || refused.Param != "stream" ||
		!strings.Contains(refused.Message, "--read-on 0") {
		t.Errorf("without reading: %v", err)
	}
}

// R-TIME-3: a source that fails is named, the others are shown, and the result is not complete.
func TestTimelineWithoutASource(t *testing.T) {
	server := &life{}
	for i := range 40 {
		stream := &lifeStream{
			name: fmt.Sprintf("stream-with-a-name-%02d", i), connection: "cin_of_a_person",
			field: "sent_at", forms: []int{1},
		}
		for n := range 3 {
			stream.add(n, 0, spellings[1])
		}
		server.streams = append(server.streams, stream)
	}
	server.streams[7].fails, server.streams[8].fails = 1, 1
	env := tool.Env{RS: server, Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000})}
	arguments := map[string]any{"stream": "*", "limit": 50}
	seen := map[string]bool{}
	for range 10 {
		read, err := timelinePage(env, arguments)
		if err != nil {
			t.Fatal(err)
		}
		for _, handle := range read.all {
			seen[handle] = true
		}
		if len(arguments) == 2 && (!read.failed || read.Reading.Complete || !strings.Contains(read.text, "503")) {
			t.Errorf("a source failed: %+v\n%s", read.Reading, read.text)
		}
		if read.Data.NextCursor == "" {
			break
		}
		if arguments["cursor"] = read.Data.NextCursor; len(read.Data.NextCursor) > 2_000 {
			t.Errorf("the cursor of 40 streams has %d characters", len(read.Data.NextCursor))
		}
	}
	if len(seen) != 120 {
		t.Errorf("%d of 120 records", len(seen))
	}
}

// R-TIME-1: a search takes a range of the time of each record.
func TestSearchWithATime(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	read := c.call(t, "search", `{"q":"cable","limit":20,"filter":{"time":{"gte":"2026-03-11","lte":"2026-03-12"}}}`)
	if len(read.Results) != 2 || !read.Reading.Complete {
		t.Errorf("%s", read.text)
	}
	for _, hit := range read.Results {
		if hit.ID != "cin_spotify/play_history:play_02176" && hit.ID != "cin_spotify/play_history:play_02184" {
			t.Errorf("found %s", hit.ID)
		}
	}
}

// R-ERR-7: a timeline that is asked to filter by another field names the call for one stream that has the field.
func TestTimelineNamesTheStreamOfAField(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	_, err := c.try(t, "query_records", `{"stream":"*","filter":{"category":"groceries"}}`)
	var refused *tool.Error
	if !errors.As(err, &refused) || len(refused.Instead) != 1 || refused.Instead[0].Text("stream") != "transactions" {
		t.Errorf("%v: %+v", err, refused)
	}
}

// R-CLAIM-5, R-TIME-2: on all pages, and at both kinds of provider, the rows of a stream show the same fields, in at most
// 200 characters, and the page lists the other granted fields.
func TestFieldsOfATimeline(t *testing.T) {
	shown := map[string]string{}
	for _, reads := range []resource.Reads{resource.ReadsV01, resource.ReadsOpen} {
		c := newCaller(sandboxOf(t, reads, "everything"), 20_000)
		arguments := `{"stream":"*","limit":100,"filter":{"time":{"gte":"2026-03-01","lt":"2026-03-20"}}}`
		for arguments != "" {
			read := c.call(t, "query_records", arguments)
			for _, each := range read.Data.Data {
				var row struct {
					Stream string         `json:"stream"`
					Fields map[string]any `json:"data"`
				}
				if err := json.Unmarshal(each, &row); err != nil {
					t.Fatal(err)
				}
				names := strings.Join(slices.Sorted(maps.Keys(row.Fields)), " ")
				if known, isKnown := shown[row.Stream]; isKnown && known != names {
					t.Fatalf("rows of %s show %s, and others %s", row.Stream, names, known)
				}
				shown[row.Stream] = names
				for _, name := range read.Data.FieldsLeftOut[row.Stream] {
					if _, isShown := row.Fields[name]; isShown || !strings.Contains(read.text, `"`+name+`"`) {
						t.Fatalf("%s of %s is shown, or left out without a word in the text", name, row.Stream)
					}
				}
			}
			if arguments = ""; len(read.Next) > 0 {
				arguments = string(read.Next[0].Arguments)
			}
		}
	}
	if shown["messages"] == "" || shown["transactions"] == "" {
		t.Errorf("streams %v", shown)
	}
}
