package precondition

import (
	"context"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// FieldWindowSelectorInput are the arguments that place a window in a field. A nil member was not given.
type FieldWindowSelectorInput struct {
	OffsetChars *int64
	Cursor      *string
	Q           *string
	BeforeChars *int64
	AfterChars  *int64
}

// FieldWindowSelector refuses selectors that contradict each other (R-ARG-9): more than one of
// offset_chars, cursor and q, and before_chars or after_chars without q. None at all is the field's start. A
// cursor is an offset in decimal digits, since providers know no other (R-WIN-4). Its error is a *tool.Error,
// invalid_field_window_selector. It sends nothing.
func FieldWindowSelector(_ context.Context, _ tool.Env, input FieldWindowSelectorInput) error {
	refuse := func(param, message string) error {
		return &tool.Error{Code: tool.InvalidFieldWindowSelector, Message: message, Param: param}
	}
	switch {
	case input.OffsetChars != nil && input.Cursor != nil:
		return refuse("cursor", "offset_chars and cursor both place the window; pass one of offset_chars, cursor and q")
	case input.OffsetChars != nil && input.Q != nil:
		return refuse("q", "offset_chars and q both place the window; pass one of offset_chars, cursor and q")
	case input.Cursor != nil && input.Q != nil:
		return refuse("q", "cursor and q both place the window; pass one of offset_chars, cursor and q")
	case input.BeforeChars != nil && input.Q == nil:
		return refuse("before_chars", "before_chars counts from a match; pass it only beside q, or use limit_chars")
	case input.AfterChars != nil && input.Q == nil:
		return refuse("after_chars", "after_chars counts from a match; pass it only beside q, or use limit_chars")
	case input.Cursor != nil && !isOffset(*input.Cursor):
		return refuse("cursor", "cursor must be the decimal offset of a character, at least 0, as next_offset_chars gives it; "+
			"pass that, or leave cursor out to read from the start")
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
