package golden_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// values are valid and invalid arguments as JSON. Every check accepts their strings and keys: what a schema cannot
// express is tested with the checks.
var values = []string{
	`"messages"`, `"cin_1/messages:m1"`, `"stream:m2"`, `"count"`, `"asc"`, `"exact"`, `"day"`, `"lexical"`,
	`"compact"`, `"key"`, `""`,
	`0`, `1`, `5`, `5.0`, `1e2`, `101`, `1.5`, `-1`, `9000`, `100000`, `true`, `false`, `null`,
	`[]`, `["subject"]`, `["subject","body"]`, `[1]`, `[null]`, `[["a"]]`,
	`{}`, `{"is_seen":false}`, `{"attachments":3}`, `{"attachments":0}`, `{"attachments":"3"}`, `{"attachments":1.0}`,
	`{"at":{"gte":"2026-01-01","lt":5}}`, `{"at":{}}`, `{"at":{"eq":1}}`, `{"at":{"gte":null}}`, `{"at":{"gte":[]}}`,
	`{"at":null}`, `{"at":[1]}`, `{"at":{"gte":{"lt":1}}}`, `{"a":1.10,"b":"x","c":true}`,
}

// beyondSchema are the refusals that a schema cannot express: of single strings, and of arguments that contradict
// each other.
var beyondSchema = []tool.Code{
	tool.InvalidID, tool.InvalidFieldWindowSelector, tool.ConflictingConnectionID,
	tool.InvalidSchemaDetail,
}

// R-SURF-9, R-ARG-1, R-ARG-3, R-ARG-4, R-ARG-5: the checks and the advertised schema give the same verdict,
// and what is refused never reaches the resource server.
func TestChecksAndSchemaAgree(t *testing.T) {
	for _, definition := range gen.Surface().Tools {
		t.Run(definition.Name, func(t *testing.T) {
			calls := callsOf(t, definition.InputSchema)
			rapid.Check(t, func(t *rapid.T) { compareVerdicts(t, definition, calls) })
		})
	}
}

func compareVerdicts(t *rapid.T, definition tool.Definition, calls calls) {
	drawn := calls.draw(t)
	raw, err := json.Marshal(drawn)
	if err != nil {
		t.Fatal(err)
	}
	bySchema := calls.schema.Validate(calls.advertised(withoutNulls(t, raw), drawn))
	reader := &refusingRS{}
	_, err = definition.Run(t.Context(), tool.Env{RS: reader}, raw)
	var byChecks *tool.Error
	refused := errors.As(err, &byChecks)
	switch { // an empty string is refused by checks that a schema would need a pattern for
	case refused && reader.asked.Load():
		t.Fatalf("%s is refused after the resource server was asked: %v", raw, err)
	case bySchema != nil && !refused:
		t.Fatalf("the schema refuses %s and the checks take it: %v", raw, bySchema)
	case bySchema == nil && refused && !slices.Contains(beyondSchema, byChecks.Code) &&
		!calls.isDependent(byChecks.Param, drawn) &&
		string(drawn[byChecks.Param]) != `""`:
		t.Fatalf("the checks refuse %s and the schema takes it: %v", raw, byChecks)
	}
}

// calls draws calls of one tool that are valid in all but one argument.
type calls struct {
	schema     *jsonschema.Resolved
	required   []string
	names      []string            // every advertised argument, and one that is not
	acceptable map[string][]string // by argument: the values that its schema takes
	kinds      map[string]string   // by argument: the JSON type that its schema names
}

func callsOf(t *testing.T, document json.RawMessage) calls {
	t.Helper()
	var schema jsonschema.Schema
	decode(t, document, &schema)
	drawn := calls{
		schema: resolve(t, &schema), required: schema.Required, acceptable: map[string][]string{},
		kinds: map[string]string{},
	}
	drawn.names = append(slices.Sorted(maps.Keys(schema.Properties)), "nonsense")
	for name, property := range schema.Properties {
		drawn.kinds[name] = property.Type
		resolved := resolve(t, property.CloneSchemas())
		for _, value := range values {
			var decoded any
			decode(t, []byte(value), &decoded)
			if resolved.Validate(decoded) == nil {
				drawn.acceptable[name] = append(drawn.acceptable[name], value)
			}
		}
		if drawn.acceptable[name] == nil {
			t.Fatalf("no value is right for %s: add one to values", name)
		}
	}
	return drawn
}

// isDependent reports whether an argument is right or absent, so that only another argument can make it wrong: a metric
// needs a field, time groups need a granularity, and an order needs groups and a server that may read. No schema lists
// the zones of time_zone, or the cursors that the adapter makes.
func (calls) isDependent(name string, drawn map[string]json.RawMessage) bool {
	value := strings.Trim(string(drawn[name]), "[]")
	isAbsent := value == "" || value == "null"
	return name == "field" && (isAbsent || value[0] == '"') || name == "granularity" && isAbsent ||
		name == "sort" && !isAbsent ||
		(name == "time_zone" || name == "cursor") && !isAbsent
}

func (c calls) draw(t *rapid.T) map[string]json.RawMessage {
	arguments := map[string]json.RawMessage{}
	for _, name := range c.names {
		if acceptable := c.acceptable[name]; acceptable != nil &&
			(slices.Contains(c.required, name) || rapid.Bool().Draw(t, "give "+name)) {
			arguments[name] = json.RawMessage(rapid.SampledFrom(acceptable).Draw(t, name))
		}
	}
	odd := rapid.SampledFrom(c.names).Draw(t, "the odd one")
	if rapid.Bool().Draw(t, "leave it out") {
		delete(arguments, odd)
	} else {
		arguments[odd] = json.RawMessage(rapid.SampledFrom(values).Draw(t, odd))
	}
	return arguments
}

// advertised returns the call with every value in its advertised form; the checks accept other forms too.
func (c calls) advertised(arguments map[string]any, drawn map[string]json.RawMessage) map[string]any {
	for name, value := range arguments {
		list, isList := value.([]any)
		text, isText := value.(string)
		counts, isObject := value.(map[string]any)
		switch kind := c.kinds[name]; {
		case kind == "string" && isList && len(list) == 1:
			arguments[name] = list[0]
		case kind == "array" && isText:
			arguments[name] = []any{text}
		case kind == "object" && isObject && counts["attachments"] == "3":
			counts["attachments"] = 3
		}
	}
	return arguments
}

func resolve(t *testing.T, schema *jsonschema.Schema) *jsonschema.Resolved {
	t.Helper()
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// refusingRS refuses every read, and records whether there was one.
type refusingRS struct{ asked atomic.Bool }

func (*refusingRS) ProviderURL() string { return "https://pdpp.example" }

func (r *refusingRS) Get(context.Context, rs.Request) (*rs.Response, error) {
	r.asked.Store(true)
	return nil, &rs.Error{Status: 404, Code: "not_found", Message: "nothing here"}
}

// withoutNulls returns the arguments without nulls, which count as absent.
func withoutNulls(t *rapid.T, raw []byte) map[string]any {
	var arguments map[string]any
	if err := json.Unmarshal(raw, &arguments); err != nil {
		t.Fatal(err)
	}
	for name, value := range arguments {
		if value == nil && name != "nonsense" {
			delete(arguments, name)
		}
	}
	return arguments
}
