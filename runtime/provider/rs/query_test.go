package rs_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// R-ARG-2, R-ARG-4, R-ARG-6: the encoding of each kind of argument, in the order of the calls.
func TestQuerySpelling(t *testing.T) {
	text, empty, five := "a b", "", int64(5)
	var query rs.Query
	query.Set("view", "compact")
	query.String("absent", nil)
	query.String("empty", &empty)
	query.String("sort", &text)
	query.Integer("absent", nil)
	query.Integer("limit", &five)
	query.CommaList("absent", nil)
	query.CommaList("fields", []string{"id", "subject"})
	query.Repeated("absent", nil)
	query.Repeated("expand", []string{"a", "b"})
	query.BracketFilter("filter", rs.Filter{
		{Field: "seen", Value: "false"},
		{Field: "size", Operator: "gte", Value: "1.10"},
		{Field: "size", Operator: "lt", Value: "1e-7"},
		{Field: "id", Value: "12345678901234567890"},
	})
	query.BracketMap("expand_limit", rs.Limits{{Relation: "b", Count: 2}, {Relation: "a", Count: 1}})
	want := strings.Join([]string{
		"view=compact", "empty=", "sort=a+b", "limit=5", "fields=id%2Csubject", "expand=a", "expand=b",
		"filter%5Bseen%5D=false", "filter%5Bsize%5D%5Bgte%5D=1.10", "filter%5Bsize%5D%5Blt%5D=1e-7",
		"filter%5Bid%5D=12345678901234567890", "expand_limit%5Bb%5D=2", "expand_limit%5Ba%5D=1",
	}, "&")
	if got := query.Encoded(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// R-ARG-2: a server that parses the query finds every filter unchanged.
func TestFilterRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		filter := rapid.SliceOf(rapid.Custom(func(t *rapid.T) rs.Condition {
			return rs.Condition{
				Field:    rapid.StringMatching(`[^\[\]]+`).Draw(t, "field"),
				Operator: rapid.SampledFrom([]string{"", "gte", "gt", "lte", "lt"}).Draw(t, "operator"),
				Value:    rapid.String().Draw(t, "value"),
			}
		})).Draw(t, "filter")
		var query rs.Query
		query.BracketFilter("filter", filter)
		want := url.Values{}
		for _, condition := range filter {
			key := "filter[" + condition.Field + "]"
			if condition.Operator != "" {
				key += "[" + condition.Operator + "]"
			}
			want.Add(key, condition.Value)
		}
		got, err := url.ParseQuery(query.Encoded())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// R-ARG-7: an encoded path decodes to the segments that were joined.
func TestJoinPathRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		segments := rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "segments")
		path := string(rs.JoinPath(segments...))
		parts := strings.Split(path, "/")[1:]
		if len(parts) != len(segments) {
			t.Fatalf("%q became %s", segments, path)
		}
		for i, part := range parts {
			if got, err := url.PathUnescape(part); err != nil || got != segments[i] {
				t.Fatalf("%q became %q (%v)", segments[i], got, err)
			}
		}
	})
}
