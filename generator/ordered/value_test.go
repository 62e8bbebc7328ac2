package ordered_test

import (
	"testing"

	"github.com/pdppmcp/pdpp-mcp/generator/ordered"
)

func TestMembersKeepTheirOrderAndTheirCharacters(t *testing.T) {
	value := ordered.Object{
		{Name: "z", Value: "a < b & c"},
		{Name: "a", Value: []any{1, true, ordered.Object{}}},
		{Name: "m", Value: ordered.Object{{Name: "<", Value: nil}}},
	}
	compact, err := ordered.Compact(value)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"z":"a < b & c","a":[1,true,{}],"m":{"<":null}}`; string(compact) != want {
		t.Errorf("got %s, want %s", compact, want)
	}
	indented, err := ordered.Indented(ordered.Object{{Name: "a", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if want := "{\n  \"a\": 1\n}\n"; string(indented) != want {
		t.Errorf("got %q, want %q", indented, want)
	}
}

func TestWhatJSONCannotHoldIsAnError(t *testing.T) {
	if _, err := ordered.Indented(ordered.Object{{Name: "a", Value: func() {}}}); err == nil {
		t.Error("a function was written as JSON")
	}
}
