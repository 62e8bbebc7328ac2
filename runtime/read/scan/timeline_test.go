package scan_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/scan"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

var timelineCases = flag.Int("timeline.cases", 300, "random timelines that are compared with a sort over all records")

// life is a resource server with several streams, each with its own time field.
type life struct {
	mu      sync.Mutex
	streams []*lifeStream
	filters bool // it applies filters
	asked   []string

	answered func(times []string) // sees the times of each page; may be nil
}

type lifeStream struct {
	name, connection, field string
	records                 []stored
	byKey                   bool   // the list is in the order of keys, and no sort by time is offered
	advertised              string // the cursor_field of the schema; may be a field without times
	fails                   int    // requests that fail from now on
	forms                   []int  // of its times
}

func (l *life) ProviderURL() string { return provider }

func (l *life) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, string(request.Path)+"?"+request.Query.Encoded())
	if strings.HasSuffix(string(request.Path), "/schema") {
		return made(request, l.schema()), nil
	}
	connection, _ := request.Query.Get("connection_id")
	at := slices.IndexFunc(l.streams, func(s *lifeStream) bool {
		return s.name == request.Path.Route().Stream && s.connection == connection
	})
	stream := l.streams[at]
	if stream.fails > 0 {
		stream.fails--
		return nil, &rs.Error{Status: 503, Code: "source_unavailable", Request: request}
	}
	response, err := stream.page(request, l.filters)
	if err == nil && l.answered != nil {
		list, _ := response.List()
		var times []string
		for _, row := range list.Rows {
			members, _ := rawjson.ParseObject(row)
			data, _ := rawjson.ParseObject(members.Get("data"))
			times = append(times, data.Text(stream.field))
		}
		l.answered(times)
	}
	return response, err
}

func made(request rs.Request, body rawjson.Object) *rs.Response {
	response, _ := rs.Response{Status: 200, Request: request}.WithBody(body.Encode()) // of checked values
	return response
}

func (l *life) schema() rawjson.Object {
	var streams []rawjson.Value
	for _, stream := range l.streams {
		members := rawjson.Object{
			rawjson.String("name", stream.name), rawjson.String("connection_id", stream.connection),
			rawjson.Raw("primary_key", []byte("[]")),
		}
		if stream.advertised != "" {
			members = append(members, rawjson.String("cursor_field", stream.advertised))
		}
		streams = append(streams, members.Encode())
	}
	return rawjson.Object{rawjson.String("object", "schema"), rawjson.Raw("streams", rawjson.Array(streams))}
}

func (s *lifeStream) page(request rs.Request, filters bool) (*rs.Response, error) {
	isRising := s.byKey
	if sort, isSorted := request.Query.Get("sort"); isSorted {
		if s.byKey || strings.TrimPrefix(sort, "-") != s.field {
			return nil, refused("invalid_sort", "")
		}
		isRising = sort == s.field
	}
	compare := func(a, b stored) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.key, b.key)) }
	if s.byKey {
		compare = func(a, b stored) int { return cmp.Compare(a.key, b.key) }
	}
	rows := slices.Clone(s.records)
	for _, parameter := range request.Query.Parameters() {
		if !strings.HasPrefix(parameter.Name, "filter[") {
			continue
		}
		if !filters {
			return nil, refused("invalid_request", "filter")
		}
		bound, _ := time.Parse(time.RFC3339, parameter.Value)
		isLower := strings.HasSuffix(parameter.Name, "[gte]")
		rows = slices.DeleteFunc(rows, func(r stored) bool { return instantOfText(r.at).Before(bound) == isLower })
	}
	slices.SortFunc(rows, compare)
	if !isRising {
		slices.Reverse(rows)
	}
	if cursor, isSent := request.Query.Get("cursor"); isSent { // a position, whatever was added since
		at, key, _ := strings.Cut(cursor, " ")
		rows = slices.DeleteFunc(rows, func(r stored) bool {
			order := compare(r, stored{key: key, at: at})
			return order == 0 || (order < 0) == isRising
		})
	}
	limit := min(request.Limit(), len(rows))
	body := rawjson.Object{rawjson.String("object", "list"), rawjson.Bool("has_more", limit < len(rows))}
	if limit < len(rows) {
		body = append(body, rawjson.String("next_cursor", rows[limit-1].at+" "+rows[limit-1].key))
	}
	data := make([]rawjson.Value, limit)
	for i, row := range rows[:limit] {
		data[i] = rawjson.Object{
			rawjson.String("id", row.key), rawjson.String("stream", s.name), rawjson.String("connection_id", s.connection),
			rawjson.Raw("data", rawjson.Object{rawjson.String(s.field, row.at), rawjson.String("title", row.key)}.Encode()),
		}.Encode()
	}
	return made(request, append(body, rawjson.Raw("data", rawjson.Array(data)))), nil
}

// instantOfText reads a time of a record; a date is its midnight in UTC, which is the zone of these tests.
func instantOfText(text string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	panic(text)
}

// spellings write an instant in the forms that streams use. A stream has one, or a mixture.
var spellings = []func(time.Time) string{
	func(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05Z") },
	func(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") },
	func(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) },
	func(at time.Time) string { return at.In(time.FixedZone("", 5*3600+45*60)).Format(time.RFC3339) },
	func(at time.Time) string { return at.In(time.FixedZone("", -8*3600)).Format(time.RFC3339) },
	func(at time.Time) string { return at.UTC().Format(time.DateOnly) },
}

var epoch = time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)

func drawStream(t *rapid.T, name string) *lifeStream {
	stream := &lifeStream{
		name:       name,
		connection: rapid.SampledFrom([]string{"cin_1", "cin_2"}).Draw(t, "connection"),
		field: rapid.SampledFrom([]string{"sent_at", "played_at", "date", "saved_at", "source_created_at"}).Draw(t,
			"field"),
		byKey: rapid.IntRange(0, 5).Draw(t, "byKey") == 0,
	}
	stream.advertised = rapid.SampledFrom([]string{"", stream.field, "received_at"}).Draw(t, "advertised")
	forms := []int{rapid.IntRange(0, len(spellings)-1).Draw(t, "form")}
	if rapid.IntRange(0, 4).Draw(t, "mixed") == 0 {
		forms = []int{1, 3, 4}
	}
	stream.forms = forms
	step := rapid.SampledFrom([]time.Duration{0, time.Second / 2, time.Minute, 7 * time.Hour}).Draw(t, "step")
	for i := range rapid.SampledFrom([]int{0, 1, 7, 40, 130}).Draw(t, "records") {
		stream.add(i, step*time.Duration(rapid.IntRange(0, 60).Draw(t, "at")), spellings[forms[i%len(forms)]])
	}
	return stream
}

func (s *lifeStream) add(number int, after time.Duration, spell func(time.Time) string) {
	s.records = append(s.records, stored{key: fmt.Sprintf("k%03d", number), at: spell(epoch.Add(after))})
}

// sortedHandles returns the handles of all records in a range, in the order of a timeline.
func (l *life) sortedHandles(since, until time.Time, isRising bool) []string {
	type row struct {
		at             time.Time
		stream, handle string
		connection     string
		key            string
	}
	var rows []row
	for _, stream := range l.streams {
		for _, record := range stream.records {
			if at := instantOfText(record.at); !at.Before(since) && at.Before(until) {
				rows = append(rows, row{
					at, stream.name, stream.connection + "/" + stream.name + ":" + record.key,
					stream.connection, record.key,
				})
			}
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.stream, b.stream), cmp.Compare(a.connection, b.connection),
			cmp.Compare(a.key, b.key))
	})
	if isRising {
		slices.Reverse(rows)
	}
	handles := make([]string, len(rows))
	for i, row := range rows {
		handles[i] = row.handle
	}
	return handles
}

// R-TIME-1, R-TIME-3: the pages of a timeline are a sort over all records, whatever the spellings of the times, the
// ties, the range, the order and the limit, with a provider that filters or not, and when memory of the pages before is
// lost. Records that are added while paging come at most once and disturb no other; a source that fails comes later,
// and no row is lost or shown twice.
func TestTimelineIsASortOverAllRecords(t *testing.T) {
	usual := flag.Lookup("rapid.checks").Value.String()
	t.Cleanup(func() { _ = flag.Set("rapid.checks", usual) })
	if err := flag.Set("rapid.checks", strconv.Itoa(timetest.Draws(*timelineCases))); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, checkTimeline)
}

func checkTimeline(t *rapid.T) {
	server := &life{filters: rapid.Bool().Draw(t, "filters")}
	for i := range rapid.IntRange(1, 5).Draw(t, "streams") {
		server.streams = append(server.streams, drawStream(t, fmt.Sprintf("s%d", i)))
	}
	isRising := rapid.Bool().Draw(t, "asc")
	arguments := map[string]any{"stream": "*", "limit": rapid.SampledFrom([]int{1, 3, 10, 100}).Draw(t, "limit")}
	if isRising {
		arguments["order"] = "asc"
	}
	since, until := time.Time{}, epoch.AddDate(10, 0, 0)
	bounds := map[string]string{}
	if rapid.Bool().Draw(t, "since") {
		since = epoch.Add(time.Duration(rapid.IntRange(-5, 400).Draw(t, "from")) * time.Hour)
		bounds["gte"] = since.Format(time.RFC3339)
	}
	if rapid.Bool().Draw(t, "until") {
		until = epoch.Add(time.Duration(rapid.IntRange(-5, 400).Draw(t, "to")) * time.Hour)
		if !until.After(since) {
			until = since.Add(time.Hour)
		}
		bounds["lt"] = until.Format(time.RFC3339)
	}
	if len(bounds) > 0 {
		arguments["filter"] = map[string]any{"time": bounds}
	}
	want := server.sortedHandles(since, until, isRising)
	failing := rapid.IntRange(0, 3).Draw(t, "failing") == 0
	adding := !failing && rapid.IntRange(0, 3).Draw(t, "adding") == 0
	env := tool.Env{RS: server, Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000})}
	got := []string{}
	added := map[string]bool{}
	for page := range 2_000 {
		if rapid.IntRange(0, 9).Draw(t, "forgets") == 0 {
			env.Readings = tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000})
		}
		if failing && page < 3 {
			server.streams[rapid.IntRange(0, len(server.streams)-1).Draw(t, "fails")].fails = 3
		}
		read, err := timelinePage(env, arguments)
		if err != nil {
			if failing { // no source answered
				continue
			}
			t.Fatal(err)
		}
		got = append(got, read.all...)
		if cursor := read.Data.NextCursor; cursor == "" {
			if read.failed && page < 10 { // only the failing sources are left: begin again where nothing was shown
				return
			}
			break
		} else if arguments["cursor"] = cursor; len(cursor) > 2_000 {
			t.Fatalf("the cursor has %d characters", len(cursor))
		}
		if adding {
			stream := server.streams[rapid.IntRange(0, len(server.streams)-1).Draw(t, "to which")]
			number := 500 + page
			stream.add(number, time.Duration(rapid.IntRange(0, 400).Draw(t, "added at"))*time.Hour, spellings[stream.forms[0]])
			added[stream.connection+"/"+stream.name+":"+"k"+strconv.Itoa(number)] = true
		}
	}
	compareTimelines(t, want, got, added, failing)
}

func compareTimelines(t *rapid.T, want, got []string, added map[string]bool, failing bool) {
	seen := map[string]bool{}
	var old []string
	for _, handle := range got {
		if seen[handle] {
			t.Fatalf("%s is shown twice", handle)
		}
		if seen[handle] = true; !added[handle] {
			old = append(old, handle)
		}
	}
	if failing { // a source that failed comes later than its time
		slices.Sort(want)
		slices.Sort(old)
	}
	if !slices.Equal(want, old) {
		t.Fatalf("want %q\ngot  %q", want, old)
	}
}

type timelineRead struct {
	page
	all    []string
	failed bool
}

func timelinePage(env tool.Env, arguments map[string]any) (timelineRead, error) {
	var read timelineRead
	raw, err := json.Marshal(arguments)
	if err != nil {
		return read, err
	}
	at := slices.IndexFunc(gen.Surface().Tools, func(d tool.Definition) bool { return d.Name == "query_records" })
	result, err := gen.Surface().Tools[at].Run(context.Background(), env, raw)
	if err != nil {
		return read, err
	}
	if err := json.Unmarshal(result.Structured, &read.page); err != nil {
		return read, err
	}
	read.text = result.Text
	read.failed = strings.Contains(result.Text, "is missing from this page")
	for _, row := range read.Data.Data {
		var members struct{ Handle string }
		if err := json.Unmarshal(row, &members); err != nil {
			return read, err
		}
		read.all = append(read.all, members.Handle)
	}
	return read, nil
}

// R-TIME-2: the time of a stream is what its schema says, then what the role or a name says, then any field that holds
// times.
func TestTimeField(t *testing.T) {
	const times = `"saved_at":"2026-03-01T10:00:00Z","released_on":"2026-03-01","title":"x","played_at":null`
	for name, test := range map[string]struct{ stream, record, want string }{
		"another name": {`{}`, `{"released_on":"2026-03-01",` + times + `}`, "saved_at"},
		"a date":       {`{}`, `{"title":"x","released_on":"2026-03-01"}`, "released_on"},
		"a known name": {`{}`, `{` + times + `,"sent_at":"2026-03-01T10:00:00Z"}`, "sent_at"},
		"the role": {
			`{"field_capabilities":{"ts":"t=string,role=event-time"}}`,
			`{"sent_at":"2026-03-01","ts":"2026-03-01T10:00:00Z"}`, "ts",
		},
		"the stream's":          {`{"cursor_field":"saved_at"}`, `{"sent_at":"2026-03-01",` + times + `}`, "saved_at"},
		"the stream's is empty": {`{"cursor_field":"played_at"}`, `{` + times + `}`, "saved_at"},
		"none":                  {`{}`, `{"title":"2026","n":1}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			members, _ := rawjson.ParseObject(rawjson.Value(test.stream))
			got := scan.TimeField(&schemadoc.Stream{Members: members},
				[]rawjson.Cursor{rawjson.NewCursor(rawjson.Value(test.record))})
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
