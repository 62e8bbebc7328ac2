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
	compact := ordered.Compact(value)
	if want := `{"z":"a < b & c","a":[1,true,{}],"m":{"<":null}}`; string(compact) != want {
		t.Errorf("got %s, want %s", compact, want)
	}
	indented := ordered.Indented(ordered.Object{{Name: "a", Value: 1}})
	if want := "{\n  \"a\": 1\n}\n"; string(indented) != want {
		t.Errorf("got %q, want %q", indented, want)
	}
}
