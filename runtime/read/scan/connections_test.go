package scan_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// R-SCAN-7: a stream of several connections, which the resource server does not page together, has the rows of each.
func TestSeveralConnections(t *testing.T) {
	open := newCaller(sandboxOf(t, resource.ReadsOpen, "everything"), 20_000)
	box := sandboxOf(t, resource.ReadsV01, "everything")
	const arguments = `{"stream":"messages","filter":{"is_seen":false},"limit":4,"fields":["id"]}`
	var want []string
	for _, connection := range []string{"cin_gmail_personal", "cin_gmail_work"} {
		want = append(want, open.all(t,
			strings.Replace(arguments, `"filter"`, fmt.Sprintf(`"connection_id":%q,"filter"`, connection), 1))...)
	}
	slices.Sort(want)
	for _, most := range []int{20_000, 90} {
		got := newCaller(box, most).all(t, arguments)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("--read-on %d: rows (-each connection +together):\n%s", most, diff)
		}
	}
	const grouped = `{"stream":"messages","metric":"count","group_by":"is_seen",` +
		`"filter":{"received_at":{"gte":"2026-01-01"}}}`
	counts := map[string]float64{}
	for _, connection := range []string{"cin_gmail_personal", "cin_gmail_work"} {
		counts = sums(t, counts, open.call(t, "aggregate",
			strings.Replace(grouped, `"metric"`, fmt.Sprintf(`"connection_id":%q,"metric"`, connection), 1)))
	}
	read := newCaller(box, 20_000).call(t, "aggregate", grouped)
	if got := sums(t, nil, read); !maps.Equal(got, counts) || !read.Reading.Complete ||
		read.Reading.Note != "2 connections are counted together." || !strings.Contains(read.text, read.Reading.Note) {
		t.Errorf("counted %v, want %v: %s", got, counts, read.text)
	}
	if part := newCaller(box, 60).call(t, "aggregate", grouped); part.Reading.Complete || len(part.Next) > 0 ||
		!strings.Contains(part.text, "complete=false") ||
		!strings.Contains(part.text, "counted together. One call reads 60") {
		t.Errorf("a range of time is no rest of several connections: %s", part.text)
	}
}

// R-SCAN-7, R-SCAN-8: the connections of a stream are read side by side, two at a time and only while their caller
// reads nothing else, and what is said of all of them is what each says. A bound of time may end any of them, and no
// other.
func TestConnectionsSideBySide(t *testing.T) {
	box := sandboxOf(t, resource.ReadsV01, "everything")
	c := newCaller(box, 20_000)
	const one = `{"stream":"messages","connection_id":%q,"metric":"count","filter":{"received_at":{"gte":%q}}}`
	first := "cin_gmail_personal"
	for _, since := range []string{"2025-01-01", "2025-05-20", "2025-06-15", "2025-09-01", "2026-02-01", "2026-04-29"} {
		want := 0
		for _, connection := range []string{first, "cin_gmail_work"} {
			want += c.counted(t, fmt.Sprintf(one, connection, since))
		}
		all := strings.Replace(fmt.Sprintf(one, first, since), `"connection_id":"`+first+`",`, "", 1)
		if got := c.counted(t, all); got != want {
			t.Errorf("since %s there are %d together, and %d each for itself", since, got, want)
		}
		rows := len(c.all(t, strings.NewReplacer(`"metric":"count"`, `"limit":100,"fields":["id"]`).Replace(all)))
		if rows != want {
			t.Errorf("since %s there are %d rows together, and %d counted", since, rows, want)
		}
	}

	const all = `{"stream":"messages","metric":"count","filter":{"subject":"none"}}`
	isMixed := func() bool { // the first connection is asked for again after another one was
		text := ""
		for _, asked := range box.taken() {
			for connection, letter := range map[string]string{first: "a", "cin_gmail_work": "b"} {
				if strings.Contains(asked, "connection_id="+connection) {
					text += letter
				}
			}
		}
		return strings.Contains(strings.TrimPrefix(text, "a"), "ba")
	}
	box.taken()
	if c.counted(t, all); !isMixed() {
		t.Error("the connections are read one after another")
	}
	busy, err := c.readings.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer busy()
	if c.counted(t, all); isMixed() {
		t.Error("a caller who reads already reads side by side")
	}

	part := newCaller(box, 260).call(t, "aggregate", all)
	if part.Reading.Complete || part.Reading.Read > 260 ||
		!strings.Contains(part.text, "Connections that were not read to their ends: "+first) {
		t.Errorf("an interrupted reading does not name its connections: %s", part.text)
	}
	fewer := newCaller(box, 100).call(t, "aggregate", all)
	if part.UpTo == nil || fewer.UpTo == nil || part.UpTo.ID == "" || part.UpTo.ID == fewer.UpTo.ID {
		t.Errorf("an interrupted reading is up to %v, and after fewer records up to %v", part.UpTo, fewer.UpTo)
	}
}

// counted returns an aggregate's count of all records.
func (c caller) counted(t *testing.T, arguments string) int {
	t.Helper()
	read := c.call(t, "aggregate", arguments)
	var value int
	if err := json.Unmarshal(read.Data.Value, &value); err != nil || read.Reading == nil || !read.Reading.Complete {
		t.Fatalf("%s is counted so: %s", arguments, read.text)
	}
	return value
}

// R-SCAN-1, R-SCAN-5: a package of grants reads with the member that has the stream.
func TestMembersOfAPackage(t *testing.T) {
	first, second := many(250), many(30)
	members := fanout.New([]fanout.Source{
		{GrantID: "grt_1", ConnectionID: "cin_1", Streams: []string{"notes"}, Reader: first},
		{GrantID: "grt_2", ConnectionID: "cin_2", Streams: []string{"plays"}, Reader: second},
	}, fanout.Options{ProviderURL: provider})
	env := tool.Env{RS: members, Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000})}
	result, err := definition("query_records").Run(t.Context(), env,
		json.RawMessage(strings.Replace(ofKindB, `"connection_id":"cin_1",`, "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if read := pageOf(t, result); len(read.Data.Data) != 25 || !read.Reading.Complete || second.came > 0 {
		t.Errorf("%d requests to the other member; %s", second.came, result.Text)
	}
}

// elsewhere is a stand-in of another provider and connection.
type elsewhere struct {
	*standIn
	origin, connection string
}

func (e elsewhere) ProviderURL() string { return e.origin }

func (e elsewhere) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	response, err := e.standIn.Get(ctx, request)
	if err != nil {
		return nil, err
	}
	return rs.Response{Status: 200, Request: request}.WithBody(bytes.ReplaceAll(response.Body(), []byte("cin_1"),
		[]byte(e.connection)))
}

// R-SCAN-1: of several providers each one's refusal is remembered, so that the detour is taken once, and of none
// another's.
func TestRefusalsOfSeveralProviders(t *testing.T) {
	first, second := many(30), many(30)
	members := fanout.New([]fanout.Source{
		{
			GrantID: "grt_1", ConnectionID: "cin_1", Streams: []string{"notes"},
			Reader: elsewhere{first, "https://first.example", "cin_1"},
		},
		{
			GrantID: "grt_2", ConnectionID: "cin_2", Streams: []string{"notes"},
			Reader: elsewhere{second, "https://second.example", "cin_2"},
		},
	}, fanout.Options{})
	detours := func(server *standIn) (count int) {
		for _, request := range server.asked {
			if strings.Contains(request.Query.Encoded(), "filter") {
				count++
			}
		}
		return count
	}
	env := tool.Env{
		RS:       tool.Wrap(members, members.Get, nil, nil),
		Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 20_000}),
	}
	for _, each := range []struct {
		name, arguments string
		first, second   int // detours so far
	}{
		{"query_records", ofKindB, 1, 0},
		{"query_records", ofKindB, 1, 0},
		{"query_records", strings.Replace(ofKindB, "cin_1", "cin_2", 1), 1, 1},
		{"aggregate", `{"stream":"notes","connection_id":"cin_2","metric":"count","filter":{"kind":"b"}}`, 1, 1},
	} {
		if _, err := definition(each.name).Run(t.Context(), env, json.RawMessage(each.arguments)); err != nil {
			t.Fatal(err)
		}
		if detours(first) != each.first || detours(second) != each.second {
			t.Errorf("after %s %s the providers saw %d and %d filters", each.name, each.arguments,
				detours(first), detours(second))
		}
	}
}

// R-SCAN-7: a filtered change feed continues, and keeps its position for the next read.
func TestFilteredFeed(t *testing.T) {
	open := newCaller(sandboxOf(t, resource.ReadsOpen, "everything"), 20_000)
	closed := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	const arguments = `{"stream":"messages","connection_id":"cin_gmail_personal","changes_since":"beginning",` +
		`"filter":{"is_flagged":true},"limit":3,"fields":["id"]}`
	want, got := open.all(t, arguments), closed.all(t, arguments)
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("%d rows (-open +v0.1):\n%s", len(want), diff)
	}
	for name, c := range map[string]caller{"open": open, "v0.1": closed} {
		read := c.call(t, "query_records", strings.Replace(arguments, `"limit":3`, `"limit":100`, 1))
		const goesOn = `resume: query_records {"stream":"messages","connection_id":"cin_gmail_personal","changes_since":"ey`
		if !strings.Contains(read.text, goesOn) {
			t.Errorf("%s: no position to continue from:\n%s", name, read.text)
		}
		now := c.call(t, "query_records", strings.Replace(arguments, "beginning", "now", 1))
		if len(now.Data.Data) > 0 || now.Data.HasMore || !strings.Contains(now.text, goesOn) {
			t.Errorf("%s: from now on:\n%s", name, now.text)
		}
	}
}

// R-SCAN-6: a count is exact when all was read, and the same on each page.
func TestExactCount(t *testing.T) {
	open := newCaller(sandboxOf(t, resource.ReadsOpen, "everything"), 20_000)
	closed := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	const arguments = `{"stream":"messages","connection_id":"cin_gmail_personal","filter":{"is_seen":false},"limit":2,` +
		`"count":"exact"}`
	want := open.call(t, "query_records", arguments)
	first := closed.call(t, "query_records", arguments)
	second := closed.call(t, "query_records", string(first.Next[0].Arguments))
	for _, read := range []page{first, second} {
		var got, counted any
		if json.Unmarshal(read.Data.Meta.Count, &got) != nil || json.Unmarshal(want.Data.Meta.Count, &counted) != nil ||
			cmp.Diff(counted, got) != "" {
			t.Errorf("count %s, want %s", read.Data.Meta.Count, want.Data.Meta.Count)
		}
	}
	if !first.Reading.Complete || first.Reading.Matched < 3 || !first.Data.HasMore {
		t.Errorf("%s", first.text)
	}
	part := newCaller(closed.watched, 100).call(t, "query_records", arguments)
	if part.Data.Meta.Count != nil || strings.Contains(part.text, "count=") {
		t.Errorf("an incomplete reading counts: %s", part.text)
	}
}
