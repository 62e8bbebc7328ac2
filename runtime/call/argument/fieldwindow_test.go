package argument_test

import (
	"errors"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/call/argument"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-ARG-9, R-WIN-4: contradictory selectors are refused, and the RS sees nothing.
func TestFieldWindowSelector(t *testing.T) {
	tests := []struct {
		name  string
		given string
		param string // of the refusal; empty: accepted
	}{
		{"none", `{}`, ""},
		{"offset", `{"offset_chars":0}`, ""},
		{"cursor", `{"cursor":"0"}`, ""},
		{"cursor that is no offset", `{"cursor":"1e3"}`, "cursor"},
		{"empty cursor", `{"cursor":""}`, "cursor"},
		{"q", `{"q":"0"}`, ""},
		{"q with both sides", `{"q":"0","before_chars":0,"after_chars":0}`, ""},
		{"offset and cursor", `{"offset_chars":0,"cursor":"0"}`, "cursor"},
		{"offset and q", `{"offset_chars":0,"q":"0"}`, "q"},
		{"cursor and q", `{"cursor":"0","q":"0"}`, "q"},
		{"all", `{"offset_chars":0,"cursor":"0","q":"0"}`, "cursor"},
		{"before alone", `{"before_chars":0}`, "before_chars"},
		{"after alone", `{"after_chars":0}`, "after_chars"},
		{"before with offset", `{"offset_chars":0,"before_chars":0}`, "before_chars"},
		{"after with cursor", `{"cursor":"0","after_chars":0}`, "after_chars"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			given, _ := rawjson.ParseObject([]byte(test.given))
			// The gate gets no reader, so a request would panic.
			err := argument.FieldWindowSelector(t.Context(), tool.Env{}, given, argument.FieldWindowSelectorInput{
				OffsetChars: "offset_chars", Cursor: "cursor", Q: "q", BeforeChars: "before_chars", AfterChars: "after_chars",
			})
			if test.param == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			var refused *tool.Error
			if !errors.As(err, &refused) || refused.Code != tool.InvalidFieldWindowSelector || refused.Param != test.param {
				t.Errorf("got %v, want a refusal of %s", err, test.param)
			}
		})
	}
}
