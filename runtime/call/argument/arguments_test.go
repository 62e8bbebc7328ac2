package argument_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/call/argument"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

var names = argument.Names{
	Accepted: []string{
		"q", "stream", "order", "limit", "open", "fields", "filter", "expand_limit",
		"record_id", "field_path",
	},
	Aliases: map[string]string{"query": "q"},
}

// input has the decoded arguments, like generated code.
type input struct {
	Q           *string
	Stream      *string
	Order       *string
	Limit       *int64
	Open        *int64
	Fields      []string
	Filter      rs.Filter
	ExpandLimit rs.Limits
	RecordID    *string
	FieldPath   *string
}

func decode(raw string) (input, error) {
	arguments := argument.Open(json.RawMessage(raw), names)
	decoded := input{
		Q:           arguments.String("q", argument.NotBlank),
		Stream:      arguments.String("stream", argument.SafeName),
		Order:       arguments.Word("order", "asc", "desc"),
		Limit:       arguments.Integer("limit", 1, 100),
		Open:        arguments.Integer("open", math.MinInt64, math.MaxInt64),
		Fields:      arguments.StringList("fields", argument.FieldName),
		Filter:      arguments.Filter("filter", tool.Clock{}),
		ExpandLimit: arguments.Limits("expand_limit"),
		RecordID:    arguments.String("record_id", argument.RecordID),
		FieldPath:   arguments.String("field_path", argument.SafeName),
	}
	return decoded, arguments.Err()
}

func pointer[T any](value T) *T { return &value }

func TestDecode(t *testing.T) {
	tests := []struct {
		name, raw string
		want      input
	}{
		{"nothing", ``, input{}},
		{"white space", " \n", input{}},
		{"null", `null`, input{}},
		{"empty object", `{}`, input{}},
		{"nulls are absent", `{"q":null,"limit":null,"fields":null,"filter":null,"expand_limit":null}`, input{}},
		{"empty string is a value", `{"order":"asc","q":"x"}`, input{Order: pointer("asc"), Q: pointer("x")}},
		{"alias", `{"query":"x"}`, input{Q: pointer("x")}},
		{"alias and null", `{"q":null,"query":"x"}`, input{Q: pointer("x")}},
		{"5.0 is 5", `{"limit":5.0}`, input{Limit: pointer(int64(5))}},
		{
			"bounds belong to the range", `{"limit":100,"open":-9223372036854775808}`,
			input{Limit: pointer(int64(100)), Open: pointer(int64(math.MinInt64))},
		},
		{"an empty list names nothing", `{"fields":[]}`, input{}},
		{"list", `{"fields":["id","a.b","ü"]}`, input{Fields: []string{"id", "a.b", "ü"}}},
		{
			"canonical keys may hold a backslash or two dots",
			`{"record_id":"[\"quo\\\"ted\",\"a..b\"]"}`,
			input{RecordID: pointer(`["quo\"ted","a..b"]`)},
		},
		{
			"filter keeps order and spelling (R-ARG-1, R-ARG-2)",
			`{"filter":{"z":1.10,"a":{"lt":12345678901234567890,"gte":1e-7},"s":"\u00e9 & b","t":true,"e":""}}`,
			input{Filter: rs.Filter{
				{Field: "z", Value: "1.10"},
				{Field: "a", Operator: "lt", Value: "12345678901234567890", Number: true},
				{Field: "a", Operator: "gte", Value: "1e-7", Number: true},
				{Field: "s", Value: "é & b"},
				{Field: "t", Value: "true"},
				{Field: "e", Value: ""},
			}},
		},
		{
			"limits keep order (R-ARG-4)", `{"expand_limit":{"b":2,"a":1.0}}`,
			input{ExpandLimit: rs.Limits{{Relation: "b", Count: 2}, {Relation: "a", Count: 1}}},
		},
		{
			"values in another form whose meaning is certain",
			`{"stream":["a"],"order":" ASC","limit":"5","fields":"id, subject","expand_limit":"{\"a\":\"3\"}",` +
				`"record_id":["12"]}`,
			input{
				Stream: pointer("a"), Order: pointer("asc"), Limit: pointer(int64(5)), Fields: []string{"id", "subject"},
				ExpandLimit: rs.Limits{{Relation: "a", Count: 3}}, RecordID: pointer("12"),
			},
		},
		{"the JSON text of a list", `{"fields":"[\"id\"]"}`, input{Fields: []string{"id"}}},
		{
			"a day that can be read in one way", `{"filter":{"at":{"gte":"2026/3/1","lt":"March 9, 2026"}}}`,
			input{Filter: rs.Filter{
				{Field: "at", Operator: "gte", Value: "2026-03-01"},
				{Field: "at", Operator: "lt", Value: "2026-03-09"},
			}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := decode(test.raw)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// R-HAND-10: a continuation has the values in the advertised form.
func TestGivenIsInTheAdvertisedForm(t *testing.T) {
	arguments := argument.Open(json.RawMessage(`{"limit": "5","order":"DESC","fields":"a,b","stream":["s"]}`), names)
	arguments.Integer("limit", 1, 100)
	arguments.Word("order", "asc", "desc")
	arguments.StringList("fields")
	arguments.String("stream")
	want := `{"limit":5,"order":"desc","fields":["a","b"],"stream":"s"}`
	if got := string(rawjson.Object(arguments.Given()).Encode()); got != want {
		t.Error(got)
	}
}

func TestRequired(t *testing.T) {
	accepted := argument.Names{Accepted: []string{"stream", "limit"}}
	arguments := argument.Open(json.RawMessage(`{"stream":"messages","limit":7}`), accepted)
	stream, limit := arguments.RequiredString("stream", argument.SafeName), arguments.RequiredInteger("limit", 1, 100)
	if err := arguments.Err(); err != nil || stream != "messages" || limit != 7 {
		t.Errorf("got %q, %d and %v", stream, limit, err)
	}
	for _, raw := range []string{`{}`, `{"stream":null}`, `{"stream":true}`} {
		arguments := argument.Open(json.RawMessage(raw), accepted)
		if got := arguments.RequiredString("stream"); got != "" {
			t.Errorf("%s: got %q", raw, got)
		}
		if refused := asToolError(t, arguments.Err()); refused.Code != tool.InvalidArguments || refused.Param != "stream" {
			t.Errorf("%s: got %+v", raw, refused)
		}
	}
	missing := argument.Open(nil, accepted)
	missing.RequiredInteger("limit", 1, 100)
	if refused := asToolError(t, missing.Err()); refused.Param != "limit" {
		t.Errorf("got %+v", refused)
	}
}

func asToolError(t *testing.T, err error) *tool.Error {
	t.Helper()
	var refused *tool.Error
	if !errors.As(err, &refused) {
		t.Fatalf("got %v of type %T, want a *tool.Error", err, err)
	}
	return refused
}

// R-ERR-2: a name with half of a surrogate pair is refused at any depth, since readers differ in what they make of it.
func TestUnpairedSurrogateInAName(t *testing.T) {
	for _, raw := range []string{`{"\ud83d":1}`, `{"filter":{"\udc00a":1}}`, `{"filter":{"a":{"\uD800":1}}}`} {
		_, err := decode(raw)
		if refused := asToolError(t, err); refused.Code != tool.InvalidArguments ||
			!strings.Contains(refused.Message, "half of a surrogate pair") {
			t.Errorf("%s: got %+v", raw, refused)
		}
	}
	if got, err := decode(`{"filter":{"\ud83d\ude00":"\ud83d"}}`); err != nil || got.Filter[0].Field != "😀" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// The first error is kept, and nothing is decoded after it.
func TestFirstErrorStays(t *testing.T) {
	arguments := argument.Open(
		json.RawMessage(`{"limit":0,"stream":"..","order":"asc","fields":["a"],"filter":{"a":1},"expand_limit":{"a":1}}`),
		names)
	arguments.Integer("limit", 1, 100)
	stream, order := arguments.String("stream", argument.SafeName), arguments.String("order")
	fields, filter, limits := arguments.StringList("fields"), arguments.Filter("filter",
		tool.Clock{}), arguments.Limits("expand_limit")
	if stream != nil || order != nil || fields != nil || filter != nil || limits != nil {
		t.Errorf("decoded after an error: %v %v %v %v %v", stream, order, fields, filter, limits)
	}
	if refused := asToolError(t, arguments.Err()); refused.Param != "limit" {
		t.Errorf("got %v", refused)
	}
}

// R-SURF-9: an unknown name is reported before any other problem.
func TestUnknownArgumentComesFirst(t *testing.T) {
	_, err := decode(`{"limit":0,"limit":1,"stream":"..","bogus":1}`)
	refused := asToolError(t, err)
	if refused.Code != tool.UnknownArgument || refused.Param != "bogus" {
		t.Errorf("got %+v", refused)
	}
	if diff := cmp.Diff(names.Accepted, refused.Accepted); diff != "" {
		t.Error(diff)
	}
}

// R-ARG-5: an integer is accepted in any spelling, and nothing else is.
func TestIntegerSpellings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64().Draw(t, "number")
		plain, err := json.Marshal(number)
		if err != nil {
			t.Fatal(err)
		}
		zeros := rapid.StringMatching(`(\.0{1,30})?([eE][+-]?0{1,3})?`).Draw(t, "zeros")
		got, err := decode(`{"open":` + string(plain) + zeros + `}`)
		if err != nil || got.Open == nil || *got.Open != number {
			t.Fatalf("%s%s became %v (%v)", plain, zeros, got.Open, err)
		}
		if _, err := decode(`{"open":` + string(plain) + `.00000000000000000000000000001}`); err == nil {
			t.Fatalf("%d with a fraction passes", number)
		}
	})
	for spelling, want := range map[string]int64{
		"0.5e1": 5, "50e-1": 5, "1E2": 100, "-0": 0, "0e999999999": 0,
		"-1.20e2": -120, "9.223372036854775807e18": math.MaxInt64,
	} {
		got, err := decode(`{"open":` + spelling + `}`)
		if err != nil || *got.Open != want {
			t.Errorf("%s: got %v", spelling, err)
		}
	}
	for _, spelling := range []string{
		"0.5", "5e-1", "1e19", "1e999999999", "1e-999999999", "1e99999999999999999999",
		"9223372036854775808", `"5 000"`, `"-"`, `"-e1"`, "true", "[5]", `{"a":5}`,
	} {
		if got, err := decode(`{"open":` + spelling + `}`); err == nil {
			t.Errorf("%s became %d", spelling, *got.Open)
		}
	}
}

func FuzzOpen(f *testing.F) {
	for _, seed := range []string{
		`{"stream":"messages","limit":5.0,"filter":{"a":{"gte":1}}}`, `{"query":"x","q":"y"}`, `[]`, `{"limit":1e999}`,
		`{"expand_limit":{"a":1}}`, `{"fields":["a",null]}`, `{"a":1}{`, "{\"q\":\"\xff\"}", `{"record_id":"\ud800"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		decoded, err := decode(raw)
		if err != nil {
			refused := asToolError(t, err)
			if refused.Code == "" || refused.Message == "" {
				t.Fatalf("%q: an error that says nothing: %+v", raw, refused)
			}
			return
		}
		if decoded.Limit != nil && (*decoded.Limit < 1 || *decoded.Limit > 100) {
			t.Fatalf("%q: limit %d passes", raw, *decoded.Limit)
		}
	})
}
