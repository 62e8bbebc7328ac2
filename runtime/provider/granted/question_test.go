package granted_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// R-CLAIM-1: the limits that a question reaches past, and no others.
func TestExceeded(t *testing.T) {
	month := func(number time.Month) time.Time { return time.Date(2026, number, 1, 0, 0, 0, 0, time.UTC) }
	spring := granted.Limit{TimeField: "at", Since: month(3), Until: month(6)}
	mail := granted.Stream{GrantID: "g1", Name: "messages", Connections: []string{"a"}, Limit: spring}
	all := granted.Stream{GrantID: "g2", Name: granted.EveryStream, Connections: []string{"a"}}
	other := granted.Stream{GrantID: "g1", Name: "messages", Connections: []string{"b"}}
	brief := granted.Stream{Name: "messages", Connections: []string{"a"}, Limit: granted.Limit{Fields: []string{"id"}}}
	full := granted.Stream{Name: "messages", Connections: []string{"b"}, Limit: granted.Limit{Fields: []string{"id", "from", "body"}}}
	four := granted.Stream{Name: "messages", Limit: granted.Limit{
		Fields: []string{"id", "subject"}, TimeField: "at", Since: month(3),
	}}
	many := granted.Stream{Name: "messages", Limit: granted.Limit{Fields: make([]string, 13), TimeField: "at", Since: month(3)}}
	single := granted.Stream{GrantID: "g1", Name: "notes", Limit: granted.Limit{Records: []string{"n1", "n2"}}}
	from := func(field string, number time.Month) rs.Filter {
		return rs.Filter{{Field: field, Operator: "gte", Value: month(number).Format(time.RFC3339)}}
	}
	until := func(number time.Month) rs.Condition {
		return rs.Condition{Field: rs.AnyTime, Operator: "lt", Value: month(number).Format(time.RFC3339)}
	}
	b := "b"
	for name, test := range map[string]struct {
		granted []granted.Stream
		asked   granted.Question
		want    []answer.Limit
	}{
		"no bounds": {
			granted: []granted.Stream{mail},
			want:    []answer.Limit{{Stream: "messages", Since: month(3), Until: month(6)}},
		},
		"an early bound": {
			granted: []granted.Stream{mail}, asked: granted.Question{Conditions: from("at", 3)},
			want: []answer.Limit{{Stream: "messages", Since: month(3), Until: month(6)}},
		},
		"another field": {
			granted: []granted.Stream{mail}, asked: granted.Question{Conditions: from("sent", 3)},
			want: []answer.Limit{{Stream: "messages", Since: month(3), Until: month(6)}},
		},
		"within": {
			granted: []granted.Stream{mail},
			asked:   granted.Question{Conditions: append(from(rs.AnyTime, 4), until(6))},
		},
		"another stream":      {granted: []granted.Stream{mail}, asked: granted.Question{Streams: []string{"notes"}}},
		"fields of one grant": {granted: []granted.Stream{brief}, asked: granted.Question{IsWhole: true}},
		"fields of another connection": {
			granted: []granted.Stream{brief, full}, asked: granted.Question{IsWhole: true},
			want: []answer.Limit{{Stream: "messages", ConnectionID: "a", FieldCount: 1, Fields: "id", Lacking: "body, from"}},
		},
		"few fields of a range": {
			granted: []granted.Stream{four},
			want:    []answer.Limit{{Stream: "messages", Since: month(3), FieldCount: 2, Fields: "id, subject"}},
		},
		"many fields of a range": {
			granted: []granted.Stream{many}, want: []answer.Limit{{Stream: "messages", Since: month(3), FieldCount: 13}},
		},
		"a range of several streams, whose lists of fields show no limit": {
			granted: []granted.Stream{four, {Name: "notes", Limit: four.Limit}},
			want:    []answer.Limit{{Stream: "messages", Since: month(3)}, {Stream: "notes", Since: month(3)}},
		},
		"few fields, all of the range":           {granted: []granted.Stream{four}, asked: granted.Question{Conditions: from("at", 3)}},
		"fields that the question does not need": {granted: []granted.Stream{brief, full}},
		"a grant of more fields": {
			granted: []granted.Stream{brief, {GrantID: "g2", Name: "messages", Connections: []string{"a"}, Limit: full.Limit}},
			asked:   granted.Question{IsWhole: true},
		},
		"single records": {
			granted: []granted.Stream{single}, asked: granted.Question{Streams: []string{"notes"}},
			want: []answer.Limit{{Stream: "notes", Records: 2}},
		},
		"a wider grant": {
			granted: []granted.Stream{mail, all},
			asked:   granted.Question{Streams: []string{"messages"}},
		},
		"a wider grant, not used": {
			granted: []granted.Stream{mail, all}, asked: granted.Question{GrantIDs: []string{"g1"}},
			want: []answer.Limit{{Stream: "messages", Since: month(3), Until: month(6)}},
		},
		"one of two connections": {
			granted: []granted.Stream{mail, other},
			want:    []answer.Limit{{Stream: "messages", ConnectionID: "a", Since: month(3), Until: month(6)}},
		},
		"the other connection": {granted: []granted.Stream{mail, other}, asked: granted.Question{ConnectionID: &b}},
		"every stream": {
			granted: []granted.Stream{{Name: granted.EveryStream, Limit: spring}},
			asked:   granted.Question{Streams: []string{"x", "y"}, Conditions: from("at", 5)},
			want: []answer.Limit{
				{Stream: "x", Since: month(3), Until: month(6)}, {Stream: "y", Since: month(3), Until: month(6)},
			},
		},
		"a range outside": {
			granted: []granted.Stream{mail}, asked: granted.Question{Conditions: from("at", 6)},
			want: []answer.Limit{{Stream: "messages", Since: month(3), Until: month(6), IsOutside: true}},
		},
		"a range before": {
			granted: []granted.Stream{mail}, asked: granted.Question{Conditions: rs.Filter{until(3)}},
			want: []answer.Limit{{Stream: "messages", Since: month(3), Until: month(6), IsOutside: true}},
		},
		"a range that another connection covers": {
			granted: []granted.Stream{mail, other}, asked: granted.Question{Conditions: from("at", 6)},
			want: []answer.Limit{{Stream: "messages", ConnectionID: "a", Since: month(3), Until: month(6)}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.asked.Exceeded(test.granted)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
