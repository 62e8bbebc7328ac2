package candidate

import (
	"slices"
	"testing"
)

// R-EVAL-3: the rows of other servers are found in the forms that they have.
func TestFirstColumn(t *testing.T) {
	for text, want := range map[string][]string{
		`[{"n":3}]`:                            {"3"},
		`[{"a":"x","b":1},{"a":"y","b":2}]`:    {"x", "y"},
		`{"success":true,"rows":[{"n":1.50}]}`: {"1.50"},
		`{"data":{"statements":[{"sql":"SELECT 1","rows":[{"n":3}],"count":1}]}}`: {"3"},
		`{"data":{"statements":[{"sql":"SELECT 1","rows":[],"count":0}]}}`:        {},
		`[]`: {},
	} {
		if got, found := firstColumn([]byte(text)); !found || !slices.Equal(got, want) {
			t.Errorf("%s: %q %t, want %q", text, got, found, want)
		}
	}
	for _, text := range []string{`no rows`, `{"error":"no such table"}`, `["a"]`, `3`} {
		if got, found := firstColumn([]byte(text)); found {
			t.Errorf("%s has the rows %q", text, got)
		}
	}
}
