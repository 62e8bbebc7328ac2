package rs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// R-ERR-4: an ambiguous answer is refused.
func TestAmbiguousAnswersAreRefused(t *testing.T) {
	many := func(last string) string {
		var members []string
		for i := range 100 {
			members = append(members, fmt.Sprintf(`"m%d":%d`, i, i))
		}
		return "{" + strings.Join(append(members, last), ",") + "}"
	}
	tests := []struct{ name, answer, says string }{
		{"twice", `{"a":1,"a":2}`, "names a member twice"},
		{"the same twice", `{"a":1,"b":1,"a":1}`, "names a member twice"},
		{"spelled in two ways", `{"a":1,"\u0061":2}`, "names a member twice"},
		{"empty names", `{"":1,"":2}`, "names a member twice"},
		{"in a row", `{"data":[{"a":1},{"b":{"c":"}","c":2}}]}`, "names a member twice"},
		{"after a nested object", `{"a":{"b":1},"a":[]}`, "names a member twice"},
		{"among many", many(`"m3":0`), "names a member twice"},
		{"the last of many", many(`"m99":0`), "names a member twice"},
		{"in different objects", `{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":1}}`, ""},
		{"names in texts", `{"a":"\",\"a\":\"","b":"a","c":["a","a"],"d\\":"\\","e\"":"\\\""}`, ""},
		{"in another case", `{"a":1,"A":2}`, ""},
		{"many", many(`"n":0`), ""},
		{"as deep as may be", `{"a":` + strings.Repeat("[", 511) + strings.Repeat("]", 511) + `}`, ""},
		{"too deep", `{"a":` + strings.Repeat("[", 512) + strings.Repeat("]", 512) + `}`, "deeper than 512 levels"},
		{"brackets in a text", `{"a":"` + strings.Repeat("[", 1000) + `"}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			client, _ := serve(t, body(test.answer))
			response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
			if test.says == "" {
				if err != nil || string(response.Body()) != test.answer {
					t.Errorf("got %v", err)
				}
				return
			}
			if failure := asFailure(t, response, err); failure.Reason != rs.InvalidResponse ||
				!strings.Contains(failure.Text(), test.says) {
				t.Errorf("got %v", failure)
			}
		})
	}
}

// An ambiguous refusal keeps its status, and its body is ignored.
func TestAmbiguousRefusal(t *testing.T) {
	client, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"error":{"code":"one","code":"two","message":"x"}}`))
	})
	_, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
	var refused *rs.Error
	if !errors.As(err, &refused) || refused.Status != 403 || refused.Code != "permission_error" ||
		refused.Envelope != nil {
		t.Errorf("got %+v", err)
	}
}

// Output of package json is never ambiguous.
func TestWrittenObjectsAreNotAmbiguous(t *testing.T) {
	var written string
	client, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { body(written)(w, r) })
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `"`, `\`, `\"`, `{"`, `,`, "\u0000", "é"}))
	rapid.Check(t, func(t *rapid.T) {
		object := map[string]any{}
		for _, name := range rapid.SliceOfN(texts, 0, 50).Draw(t, "names") {
			object[name] = []any{map[string]string{name: texts.Draw(t, "value")}, name}
		}
		raw, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		written = string(raw)
		if _, err := client.Get(t.Context(), rs.Request{Path: "/"}); err != nil {
			t.Fatalf("%s: %v", written, err)
		}
	})
}
