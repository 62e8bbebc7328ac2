package journey

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// surveyed are the streams whose legend is tested: three connectors, compound keys, and one of two accounts.
var surveyed = []blind.Topic{
	{Stream: "messages", Label: "Personal Gmail"},
	{Stream: "attachments", Label: "Work Gmail"},
	{Stream: "saved_tracks", Label: "Spotify"},
	{Stream: "top_artists"},
	{Stream: "chat_messages", Label: "Team chat"},
}

// R-SCH-3, R-SCH-5: from the schema alone a reader builds a filter, a sort, a projection and an aggregate for
// every capability that a stream has. The resource server accepts all of them, and the answers are what
// SQL says.
func legendToQuery(t *testing.T, v *traveller) {
	for _, topic := range surveyed {
		t.Run(topic.Stream, func(t *testing.T) {
			survey, err := v.Survey(t.Context(), topic)
			if err != nil {
				t.Fatal(err)
			}
			stream := declared(t, topic)
			visible := visibleSchema(stream, v.provider.reads)
			checkFlags(t, survey.Stream, visible)
			checkCoverage(t, survey, visible)
			o := oracle{t: t, db: v.provider.Box.Store().DB(), stream: stream}
			for _, asked := range survey.Asked {
				var q question
				if err := json.Unmarshal([]byte(asked.Arguments), &q); err != nil {
					t.Fatal(err)
				}
				if asked.Page != nil {
					o.checkPage(asked, q)
				} else {
					o.checkAggregate(asked, q)
				}
			}
			v.accepted(t)
		})
	}
}

// declared returns the sandbox's declaration of a stream.
func declared(t *testing.T, topic blind.Topic) catalog.Stream {
	t.Helper()
	for _, connector := range sample.Shared().Connectors {
		for _, stream := range connector.Streams {
			if stream.Name == topic.Stream {
				return stream
			}
		}
	}
	t.Fatalf("stream %s is not declared", topic.Stream)
	return catalog.Stream{}
}

// visibleSchema returns what the schema shows a client of a stream: in v0.1 only the names of its fields.
func visibleSchema(stream catalog.Stream, reads resource.Reads) catalog.Stream {
	if reads == resource.ReadsOpen {
		return stream
	}
	bare := catalog.Stream{Name: stream.Name}
	for _, field := range stream.Fields {
		bare.Fields = append(bare.Fields, catalog.Field{Name: field.Name})
	}
	return bare
}

// checkFlags compares what the reader learned about each field with the declaration.
func checkFlags(t *testing.T, seen blind.Stream, stream catalog.Stream) {
	t.Helper()
	describe := func(exact, lexical bool, ranges, aggregations []string) string {
		return fmt.Sprint(exact, lexical, slices.Sorted(slices.Values(ranges)), slices.Sorted(slices.Values(aggregations)))
	}
	want, got := map[string]string{}, map[string]string{}
	for _, field := range stream.Fields {
		want[field.Name] = describe(field.Exact, field.Lexical, field.Range, field.Aggregations)
	}
	for _, field := range seen.Fields {
		_, exact := field.Flags["eq"]
		_, lexical := field.Flags["lex"]
		got[field.Name] = describe(exact, lexical, field.Flags["r"], field.Flags["a"])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("exact, lexical, ranges and aggregations of each field (-declared +seen):\n%s", diff)
	}
}

// checkCoverage fails a reader that made no mistake only because it understood nothing of the legend and asked
// nothing.
func checkCoverage(t *testing.T, survey blind.Survey, stream catalog.Stream) {
	t.Helper()
	asked := map[string]bool{}
	for _, each := range survey.Asked {
		var q question
		if err := json.Unmarshal([]byte(each.Arguments), &q); err != nil {
			t.Fatal(err)
		}
		for name, condition := range q.Filter {
			if condition[0] == '{' {
				asked["range "+name] = true
			} else {
				asked["exact "+name] = true
			}
		}
		asked[q.Metric+" "+q.Field] = true
		asked["group_by "+q.GroupBy] = true
		asked["group_by_time "+q.GroupByTime] = true
		asked["sort "+q.Sort] = true
		asked[fmt.Sprint("projection ", len(q.Fields) > 0)] = true
	}
	want := []string{"projection true"}
	if stream.CursorField != "" {
		want = append(want, "sort "+stream.CursorField, "sort -"+stream.CursorField)
	}
	for _, field := range stream.Fields {
		if field.Exact && !field.Nullable {
			want = append(want, "exact "+field.Name)
		}
		if field.Range != nil {
			want = append(want, "range "+field.Name)
		}
		for _, aggregation := range field.Aggregations {
			want = append(want, aggregation+" "+field.Name)
		}
	}
	for _, each := range want {
		if !asked[each] {
			t.Errorf("the reader did not build: %s", each)
		}
	}
}

func (o oracle) checkPage(asked blind.Asked, q question) {
	o.t.Helper()
	keys, data, count := o.rows(o.t.Context(), q)
	for i, key := range keys {
		keys[i] = q.ConnectionID + "/" + q.Stream + ":" + key
	}
	got := []string{}
	for _, row := range asked.Page.Rows {
		got = append(got, row.ID)
	}
	if diff := cmp.Diff(append([]string{}, keys...), got); diff != "" {
		o.t.Errorf("%s: records (-SQL +seen):\n%s", asked.Arguments, diff)
		return
	}
	if asked.Page.Count != count {
		o.t.Errorf("%s: count is seen as %d, SQL says %d", asked.Arguments, asked.Page.Count, count)
	}
	for i, row := range asked.Page.Rows {
		o.checkRow(asked, q, row, data[i])
	}
}

// checkRow compares what is shown of a record: every value that was asked for, null and empty ones too, and no other.
func (o oracle) checkRow(asked blind.Asked, q question, row blind.Row, data map[string]json.RawMessage) {
	o.t.Helper()
	for name, value := range row.Values {
		if q.Fields != nil && !slices.Contains(q.Fields, name) {
			o.t.Errorf("%s: %s shows %s, which was not asked for", asked.Arguments, row.ID, name)
		}
		if !sameJSON(value, blind.BlobNamed(data[name])) {
			o.t.Errorf("%s: %s shows %s as %s, stored is %s", asked.Arguments, row.ID, name, value, data[name])
		}
	}
	for _, name := range q.Fields {
		_, clipped := row.Clipped[name]
		if row.Values[name] == nil && !clipped && data[name] != nil {
			o.t.Errorf("%s: %s does not show %s", asked.Arguments, row.ID, name)
		}
	}
}

func (o oracle) checkAggregate(asked blind.Asked, q question) {
	o.t.Helper()
	if q.GroupBy == "" && q.GroupByTime == "" {
		if want := o.value(o.t.Context(), q); !sameJSON(want, asked.Aggregate.Value) {
			o.t.Errorf("%s: seen as %s, SQL says %s", asked.Arguments, asked.Aggregate.Value, want)
		}
		return
	}
	want := o.groups(o.t.Context(), q)
	all, others, some := 0, asked.Aggregate.Others, map[string]int{}
	for _, count := range want {
		all += count
	}
	got := map[string]int{}
	for _, group := range asked.Aggregate.Groups {
		key := sameSpelling(group.Key)
		got[key], some[key] = group.Count, want[key]
		others += group.Count
	}
	if diff := cmp.Diff(some, got); diff != "" {
		o.t.Errorf("%s: groups (-SQL +seen):\n%s", asked.Arguments, diff)
	}
	if shown := len(asked.Aggregate.Groups); others != all || shown != min(len(want), q.Limit) {
		o.t.Errorf("%s: %d groups of %d records in all are seen, SQL says %d of %d", asked.Arguments, shown,
			others, len(want), all)
	}
}

// sameSpelling returns a JSON value as encoding/json writes it.
func sameSpelling(value json.RawMessage) string {
	var decoded any
	if json.Unmarshal(value, &decoded) != nil {
		return string(value)
	}
	encoded, err := json.Marshal(decoded)
	if err != nil {
		return string(value)
	}
	return string(encoded)
}

// sameJSON reports whether two texts are equal as JSON values.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && cmp.Equal(x, y)
}
