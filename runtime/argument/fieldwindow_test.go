package argument_test

import (
	"errors"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/argument"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-ARG-9, R-WIN-4: contradictory selectors are refused, and the RS sees nothing.
func TestFieldWindowSelector(t *testing.T) {
	number, text, wrong := int64(0), "0", "1e3"
	type selector struct {
		OffsetChars, BeforeChars, AfterChars *int64
		Cursor, Q                            *string
	}
	tests := []struct {
		name  string
		input selector
		param string // of the refusal; empty: accepted
	}{
		{"none", selector{}, ""},
		{"offset", selector{OffsetChars: &number}, ""},
		{"cursor", selector{Cursor: &text}, ""},
		{"cursor that is no offset", selector{Cursor: &wrong}, "cursor"},
		{"q", selector{Q: &text}, ""},
		{"q with both sides", selector{Q: &text, BeforeChars: &number, AfterChars: &number}, ""},
		{"offset and cursor", selector{OffsetChars: &number, Cursor: &text}, "cursor"},
		{"offset and q", selector{OffsetChars: &number, Q: &text}, "q"},
		{"cursor and q", selector{Cursor: &text, Q: &text}, "q"},
		{"all", selector{OffsetChars: &number, Cursor: &text, Q: &text}, "cursor"},
		{"before alone", selector{BeforeChars: &number}, "before_chars"},
		{"after alone", selector{AfterChars: &number}, "after_chars"},
		{"before with offset", selector{OffsetChars: &number, BeforeChars: &number}, "before_chars"},
		{"after with cursor", selector{Cursor: &text, AfterChars: &number}, "after_chars"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			source := &reader{}
			err := argument.FieldWindowSelector(t.Context(), tool.Env{RS: source}, argument.FieldWindowSelectorInput{
				OffsetChars: tool.Named("offset_chars", test.input.OffsetChars),
				Cursor:      tool.Named("cursor", test.input.Cursor),
				Q:           tool.Named("q", test.input.Q),
				BeforeChars: tool.Named("before_chars", test.input.BeforeChars),
				AfterChars:  tool.Named("after_chars", test.input.AfterChars),
			})
			if len(source.read) != 0 {
				t.Errorf("the RS saw %v", source.read)
			}
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
