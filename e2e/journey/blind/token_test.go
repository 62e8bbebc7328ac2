package blind

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// docs/interfaces.md, Text and handles.
func TestTokens(t *testing.T) {
	type pairs = [][2]string
	for line, want := range map[string]pairs{
		``:                             nil,
		`records rows=3 has_more=true`: {{"rows", "3"}, {"has_more", "true"}},
		`  a="x y" b=-1.5e3 c=count`:   {{"a", "x y"}, {"b", "-1.5e3"}, {"c", "count"}},
		`count=exact:60 id="c/s:[\"u \\\"1\\\"\",\"2026\"]"`: {
			{"count", "exact:60"}, {"id", `c/s:["u \"1\"","2026"]`},
		},
		`blob=blob(blob_id="b 1" size_bytes=5) n=1`: {{"blob", `blob(blob_id="b 1" size_bytes=5)`}, {"n", "1"}},
		`context={"a":"}= "} to=["x = y"]`:          {{"context", `{"a":"}= "}`}, {"to", `["x = y"]`}},
		`"odd name"=1 "é"="ü"`:                      {{"odd name", "1"}, {"é", "ü"}},
		`rows_left_out=25: they do not fit. a="b"`:  {{"rows_left_out", "25:"}, {"a", "b"}},
	} {
		var got pairs
		for _, token := range tokens(line) {
			got = append(got, [2]string{token.name, token.text()})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

// A filter is built only from what the legend shows.
func TestFilterComesFromTheLegend(t *testing.T) {
	shown := Stream{
		Legend: parseLegend(
			`t=type; eq: filter {"field":value}; r=operators: filter {"field":{"gte":value}} with any of them`),
	}
	for _, c := range []struct {
		stream               Stream
		flag, operator, want string
	}{
		{shown, "eq", "", `{"is_seen":true}`},
		{shown, "r", "lt", `{"is_seen":{"lt":true}}`},
		{shown, "eq", "lt", ""},
		{Stream{}, "eq", "", ""},
		{Stream{Legend: map[string]string{"eq": "filter by value"}}, "eq", "", ""},
	} {
		if got := c.stream.filter(c.flag, "is_seen", c.operator, []byte("true")); string(got) != c.want {
			t.Errorf("%s %s gives %s, want %s", c.flag, c.operator, got, c.want)
		}
	}
}
