package scan

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// badRequest returns the refusal of a request with status 400, or nil for any other error.
func badRequest(err error) *rs.Error {
	if refused := asRefused(err); refused != nil && refused.Status == http.StatusBadRequest {
		return refused
	}
	return nil
}

// asRefused returns the refusal of a resource server, or nil.
func asRefused(err error) *rs.Error {
	var refused *rs.Error
	if errors.As(err, &refused) {
		return refused
	}
	return nil
}

// isFilterRefusal reports whether a resource server refused all filters, whatever their fields (042, 142, 800 to 800k,
// 810i, 815). Only such a refusal names the parameter filter itself.
func isFilterRefusal(err error) bool {
	refused := badRequest(err)
	return refused != nil && refused.Param() == wire.Filter
}

// isSortRefusal reports whether a resource server does not sort by a field (035b, 804b). The server refuses an unknown
// field in the same way.
func isSortRefusal(err error) bool {
	refused := badRequest(err)
	return refused != nil && refused.Code == "invalid_sort"
}

// isMeasureRefusal reports whether a resource server may have refused the metric or the grouping (783, 785, 810c, 810f,
// 810k). The server refuses a wrong argument in the same way; package tally finds those.
func isMeasureRefusal(err error) bool {
	refused := badRequest(err)
	return refused != nil && refused.Code == rs.CodeInvalidRequest &&
		slices.Contains([]string{"", wire.Metric, wire.Field, wire.GroupBy, wire.GroupByTime}, refused.Param())
}

// interruption returns a sentence about what ended a partial reading. It is empty if the error itself is the answer,
// such as an error about the caller's rights or a wrong request.
func interruption(err error) string {
	var refused *rs.Error
	var failure *rs.Failure
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusTooManyRequests && refused.RetryAfter != "":
		return fmt.Sprintf("The resource server asked to wait (Retry-After: %s).", refused.RetryAfter)
	case errors.As(err, &refused) && (refused.Status == http.StatusTooManyRequests || refused.Status >= http.StatusInternalServerError):
		return fmt.Sprintf("The resource server answered %d.", refused.Status)
	case errors.As(err, &failure) && failure.Reason == rs.TooManyRequests:
		return fmt.Sprintf("One call sends %d requests at most.", rs.MaxRequests)
	case errors.As(err, &failure):
		return fmt.Sprintf("A page could not be read (%s).", failure.Reason)
	}
	return ""
}
