package precondition

import (
	"context"

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
// offset_chars, cursor and q, and before_chars or after_chars without q. None at all is the field's start. Its
// error is a *tool.Error, invalid_field_window_selector. It sends nothing.
func FieldWindowSelector(_ context.Context, _ tool.Env, input FieldWindowSelectorInput) error {
	contradiction := func(param, message string) error {
		return &tool.Error{Code: tool.InvalidFieldWindowSelector, Message: message, Param: param}
	}
	switch {
	case input.OffsetChars != nil && input.Cursor != nil:
		return contradiction("cursor", "offset_chars and cursor both place the window; pass one of offset_chars, cursor and q")
	case input.OffsetChars != nil && input.Q != nil:
		return contradiction("q", "offset_chars and q both place the window; pass one of offset_chars, cursor and q")
	case input.Cursor != nil && input.Q != nil:
		return contradiction("q", "cursor and q both place the window; pass one of offset_chars, cursor and q")
	case input.BeforeChars != nil && input.Q == nil:
		return contradiction("before_chars", "before_chars counts from a match; pass it only beside q, or use limit_chars")
	case input.AfterChars != nil && input.Q == nil:
		return contradiction("after_chars", "after_chars counts from a match; pass it only beside q, or use limit_chars")
	}
	return nil
}
