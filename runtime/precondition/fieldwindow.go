package precondition

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// FieldWindowSelectorInput are the arguments that place a window in a field.
type FieldWindowSelectorInput struct {
	OffsetChars tool.NamedArgument[int64]
	Cursor      tool.NamedArgument[string]
	Q           tool.NamedArgument[string]
	BeforeChars tool.NamedArgument[int64]
	AfterChars  tool.NamedArgument[int64]
}

// FieldWindowSelector refuses selectors that contradict each other (R-ARG-9): more than one of an offset, a cursor
// and words to match, and a distance from the match without these words. None at all is the field's start. A cursor
// is an offset in decimal digits, since providers know no other (R-WIN-4). Its error is a *tool.Error,
// invalid_field_window_selector. It sends nothing.
func FieldWindowSelector(_ context.Context, _ tool.Env, input FieldWindowSelectorInput) error {
	offset, cursor, match := input.OffsetChars.Name, input.Cursor.Name, input.Q.Name
	refuse := func(param, message string) *tool.Error {
		return &tool.Error{Code: tool.InvalidFieldWindowSelector, Message: message, Param: param}
	}
	both := func(first, second string) error {
		return refuse(second, fmt.Sprintf("%s and %s both place the window; pass one of them", first, second))
	}
	unmatched := func(name string) error {
		refused := refuse(name, fmt.Sprintf("%s counts from a match; pass it only beside %s, or leave it out", name, match))
		refused.Instead = rawjson.Object{{Name: input.BeforeChars.Name}, {Name: input.AfterChars.Name}}
		return refused
	}
	switch {
	case input.OffsetChars.Given() && input.Cursor.Given():
		return both(offset, cursor)
	case input.OffsetChars.Given() && input.Q.Given():
		return both(offset, match)
	case input.Cursor.Given() && input.Q.Given():
		return both(cursor, match)
	case input.BeforeChars.Given() && !input.Q.Given():
		return unmatched(input.BeforeChars.Name)
	case input.AfterChars.Given() && !input.Q.Given():
		return unmatched(input.AfterChars.Name)
	case input.Cursor.Given() && !isOffset(*input.Cursor.Value):
		return refuse(cursor, fmt.Sprintf("%[1]s must be the decimal offset of a character, at least 0, as next_offset_chars gives it; "+
			"pass that, or leave %[1]s out to read from the start", cursor))
	}
	return nil
}

// isOffset reports whether text is the decimal digits of an int64.
func isOffset(text string) bool {
	if strings.Trim(text, "0123456789") != "" {
		return false
	}
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}
