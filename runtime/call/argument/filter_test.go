package argument_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/call/argument"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func decodeFilter(raw string) (rs.Filter, error) {
	arguments := argument.Open(json.RawMessage(`{"filter":`+raw+`}`), names)
	filter := arguments.Filter("filter", tool.Clock{})
	return filter, arguments.Err()
}

// R-ARG-3: every other form is refused with a message that shows the typed form.
func TestFilterRefuses(t *testing.T) {
	for _, raw := range []string{
		`"is_seen=false"`, `""`, `"{\"is_seen\":false}"`, `"filter[is_seen]=false"`,
		`[]`, `[{"is_seen":false}]`, `7`, `true`, `{}`,
		`{"is_seen[eq]":1}`, `{"a]":1}`, `{"[":1}`, `{"":1}`, `{"a\n":1}`,
		`{"a":null}`, `{"a":[]}`, `{"a":["b"]}`, `{"a":{}}`,
		`{"a":{"like":"b"}}`, `{"a":{"GTE":1}}`, `{"a":{"":1}}`, `{"a":{"gte":1,"eq":2}}`,
		`{"a":{"gte":null}}`, `{"a":{"gte":{}}}`, `{"a":{"gte":{"gte":1}}}`, `{"a":{"gte":[1]}}`,
		`{"a":{"b":{"gte":1}}}`, `{"__proto__":1}`, `{"a":1,"__proto__":{"gte":1}}`, `{"a":1,"a":2}`,
		`{"a":{"gte":1,"gte":2}}`,
	} {
		filter, err := decodeFilter(raw)
		refused := asToolError(t, err)
		if filter != nil || refused.Code != tool.InvalidFilter || refused.Param != "filter" {
			t.Errorf("%s: got %v and %+v", raw, filter, refused)
		}
		if !strings.Contains(refused.Message, `{"is_seen":false,"received_at":{"gte":"2026-01-01T00:00:00Z"}}`) {
			t.Errorf("%s: the message does not show the typed form: %s", raw, refused.Message)
		}
	}
}

// The time for a filter is proportional to its fields.
func TestFilterOfVeryManyFields(t *testing.T) {
	fields := make([]string, 100_000)
	for i := range fields {
		fields[i] = `"f` + strconv.Itoa(i) + `":0`
	}
	began := timetest.Spent()
	filter, err := decodeFilter("{" + strings.Join(fields, ",") + "}")
	if took := timetest.Spent() - began; err != nil || len(filter) != len(fields) || took > 10*time.Second {
		t.Errorf("%d conditions after %v (%v)", len(filter), took, err)
	}
}

// number draws a JSON number in one of its many spellings.
var number = rapid.StringMatching(`-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,3})?`)

// R-ARG-2: the resource server receives exactly what the caller wrote, to the last digit and in order.
func TestFilterReachesTheQueryExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zA-Z_.é" ]{1,8}`), 1, 6, rapid.ID).Draw(t, "fields")
		var members, want []string
		for _, field := range fields {
			name, _ := json.Marshal(field)
			if rapid.Bool().Draw(t, "is a range") {
				// two sides may be an empty range
				side := rapid.SampledFrom([][]string{{"gte", "gt"}, {"lte", "lt"}}).Draw(t, "side")
				operators := rapid.SliceOfNDistinct(rapid.SampledFrom(side), 1, 2, rapid.ID).Draw(t, "operators")
				var bounds []string
				for _, operator := range operators {
					spelling, value := drawScalar(t)
					bounds = append(bounds, strconv.Quote(operator)+": "+spelling)
					want = append(want, "filter["+field+"]["+operator+"]="+value)
				}
				members = append(members, string(name)+":{"+strings.Join(bounds, " ,")+"}")
				continue
			}
			spelling, value := drawScalar(t)
			members = append(members, string(name)+":"+spelling)
			want = append(want, "filter["+field+"]="+value)
		}
		filter, err := decodeFilter("{" + strings.Join(members, ",") + "}")
		if err != nil {
			t.Fatal(err)
		}
		var query rs.Query
		query.BracketFilter("filter", filter)
		var got []string
		for _, pair := range strings.Split(query.Encoded(), "&") {
			decoded, err := url.QueryUnescape(pair)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, decoded)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func drawScalar(t *rapid.T) (spelling, value string) {
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		spelling = number.Draw(t, "number")
		return spelling, spelling
	case 1:
		spelling = rapid.SampledFrom([]string{"true", "false"}).Draw(t, "boolean")
		return spelling, spelling
	}
	value = rapid.String().Draw(t, "string")
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded), value
}

// A bound that is not a date, and bounds that exclude every value, are refused before any read.
func TestEmptyRanges(t *testing.T) {
	for filter, want := range map[string]string{
		`{"at":{"gte":"2026-02-30"}}`:           "the last day of that month is 2026-02-28",
		`{"at":{"gte":"2024-02-30T10:00:00Z"}}`: "the last day of that month is 2024-02-29",
		`{"at":{"gte":"2026-13-01"}}`:           "not a date",
		`{"at":{"gte":"2026-W17"}}`: `pass {"gte":"2026-04-20",` +
			`"lt":"2026-04-27"}`,
		`{"at":{"gte":"2026-W01"}}`: `pass {"gte":"2025-12-29",` +
			`"lt":"2026-01-05"}`,
		`{"at":{"gte":"2026-04-01",` +
			`"lt":"2026-03-01"}}`: "lower bound is not below its upper bound",
		`{"at":{"lt":"2026-03-01",` +
			`"gte":"2026-03-01"}}`: "lower bound is not below its upper bound",
		`{"at":{"gte":"2026-03-01T12:00:00Z",` +
			`"lt":"2026-03-01T12:00:00+02:00"}}`: "lower bound is not below its upper bound",
		`{"n":{"gte":5,"lt":-5}}`:                                                      "lower bound is not below its upper bound",
		`{"at":{"gte":"2026-03-01","lte":"2026-03-01"}}`:                               "",
		`{"at":{"gte":"2026-03-01T12:00:00Z","lte":"2026-03-01"}}`:                     "",
		`{"n":{"gte":10,"lt":9007199254740993},"s":{"gte":"b","lt":"a"},"x":{"gt":2}}`: "",
	} {
		_, err := decodeFilter(filter)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", filter, err, want)
		}
	}
}

func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		`{"a":1.10}`, `{"a":{"gte":1e-7,"lt":"x"}}`, `{"a":null}`, `{"a[b]":1}`, `[]`, `"a=b"`, `{"a":{"gte":{}}}`,
		`{"a":`, `{"a":1,"a":2}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		filter, err := decodeFilter(raw)
		if err != nil {
			asToolError(t, err)
			return
		}
		if strings.TrimSpace(raw) == "null" {
			return
		}
		var query rs.Query
		query.BracketFilter("filter", filter)
		parsed, err := url.ParseQuery(query.Encoded())
		if err != nil {
			t.Fatalf("%q is encoded as %s: %v", raw, query.Encoded(), err)
		}
		for _, condition := range filter {
			key := "filter[" + condition.Field + "]"
			if condition.Operator != "" {
				key += "[" + condition.Operator + "]"
			}
			if !slices.Equal(parsed[key], []string{condition.Value}) {
				t.Fatalf("%q: %s is read as %q, want %q", raw, key, parsed[key], condition.Value)
			}
			delete(parsed, key)
		}
		if len(parsed) != 0 {
			t.Fatalf("%q adds %v", raw, parsed)
		}
	})
}
