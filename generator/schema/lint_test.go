package schema_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/generator/schema"
)

// R-SURF-10, R-SURF-9: each schema has one fault, and the lint names its place.
func TestLintNamesThePlace(t *testing.T) {
	for name, bad := range map[string]struct {
		side     schema.Side
		document string
		pointers []string
	}{
		"not an object":      {schema.InputSide, `{"type":"string","additionalProperties":false}`, []string{"/type"}},
		"not JSON":           {schema.InputSide, `{`, []string{""}},
		"null":               {schema.InputSide, `null`, []string{""}},
		"boolean at the top": {schema.InputSide, `true`, []string{""}},
		"open input":         {schema.InputSide, `{"type":"object","properties":{}}`, []string{"/additionalProperties"}},
		"alternatives at top": {
			schema.InputSide,
			`{"type":"object","properties":{},"additionalProperties":false,"anyOf":[{"type":"object","properties":{}}]}`,
			[]string{"/anyOf"},
		},
		"oneOf": {
			schema.InputSide, input(`{"oneOf":[{"type":"string"}]}`),
			[]string{"/properties/x/oneOf", "/properties/x/type"},
		},
		"allOf at the top": {
			schema.InputSide,
			`{"type":"object","properties":{},"additionalProperties":false,"allOf":[]}`,
			[]string{"/allOf"},
		},
		"type array":       {schema.InputSide, input(`{"type":["string","null"]}`), []string{"/properties/x/type"}},
		"no type":          {schema.InputSide, input(`{}`), []string{"/properties/x/type"}},
		"reference":        {schema.InputSide, input(`{"type":"string","$ref":"#/x"}`), []string{"/properties/x/$ref"}},
		"boolean property": {schema.InputSide, input(`true`), []string{"/properties/x"}},
		"boolean items":    {schema.InputSide, input(`{"type":"array","items":true}`), []string{"/properties/x/items"}},
		"boolean others": {
			schema.InputSide, input(`{"type":"object","properties":{},"additionalProperties":true}`),
			[]string{"/properties/x/additionalProperties"},
		},
		"object without members": {
			schema.InputSide, input(`{"type":"object","additionalProperties":{"type":"string"}}`),
			[]string{"/properties/x/properties"},
		},
		"array without items": {schema.InputSide, input(`{"type":"array"}`), []string{"/properties/x/items"}},
		"fault in alternatives": {
			schema.InputSide, input(`{"anyOf":[{"type":"string"},{"type":"array"}]}`),
			[]string{"/properties/x/anyOf/1/items"},
		},
		"fault in others": {
			schema.InputSide,
			input(`{"type":"object","properties":{},"additionalProperties":{"type":"array"}}`),
			[]string{"/properties/x/additionalProperties/items"},
		},
		"pattern": {
			schema.InputSide, input(`{"type":"string","pattern":"^a"}`),
			[]string{"/properties/x/pattern"},
		},
		"closed output": {
			schema.OutputSide, `{"type":"object","properties":{},"additionalProperties":false}`,
			[]string{"/additionalProperties"},
		},
		"required output": {
			schema.OutputSide, `{"type":"object","properties":{},"required":["x"]}`,
			[]string{"/required"},
		},
		"named values in output": {
			schema.OutputSide, `{"type":"object","properties":{"x":{"type":"string","enum":["a"]}}}`,
			[]string{"/properties/x/enum"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(bad.pointers, pointers(t, schema.Lint(bad.side, []byte(bad.document)))); diff != "" {
				t.Errorf("places (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLintPasses(t *testing.T) {
	for side, document := range map[schema.Side]string{
		schema.InputSide: input(`{"type":"object","description":"d","properties":{},"minProperties":1,` +
			`"additionalProperties":{"anyOf":[{"type":"string"},{"type":"integer","minimum":1,"maximum":2}]}}`),
		schema.OutputSide: `{"type":"object","properties":{"x":{"type":"array","items":{"type":"object","properties":{}}}}}`,
	} {
		if err := schema.Lint(side, []byte(document)); err != nil {
			t.Errorf("%s: %v", side, err)
		}
	}
}

// input returns a closed input schema with one property x.
func input(property string) string {
	return `{"type":"object","properties":{"x":` + property + `},"additionalProperties":false}`
}

func pointers(t *testing.T, err error) []string {
	t.Helper()
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		t.Fatalf("the lint gives %v, want problems", err)
	}
	var places []string
	for _, each := range joined.Unwrap() {
		var problem *schema.Problem
		if !errors.As(each, &problem) {
			t.Fatalf("%v is a %T, want a *schema.Problem", each, each)
		}
		places = append(places, problem.Pointer)
	}
	slices.Sort(places)
	return places
}
