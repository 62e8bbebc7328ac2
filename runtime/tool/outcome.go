package tool

import (
	"errors"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// OK is the outcome of a call without an error.
const OK = "ok"

// Outcome names what became of a call, for logs, metrics and accounts: OK, or the code of its error. It never repeats what a
// resource server wrote, whose codes are an open set: they become rs_404 and the like.
func Outcome(err error) string {
	if err == nil {
		return OK
	}
	var failed *Error
	var unusable *rs.Failure
	var refused *rs.Error
	switch {
	case errors.As(err, &failed):
		return string(failed.Code)
	case errors.As(err, &unusable):
		return string(unusable.Reason)
	case errors.As(err, &refused):
		return fmt.Sprintf("rs_%d", refused.Status)
	}
	return string(Internal)
}
