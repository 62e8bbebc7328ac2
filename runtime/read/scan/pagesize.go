package scan

import (
	"context"
	"errors"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// pageBytes is the size of a page of large rows, in bytes. The pages that a call reads at the same time share its
// memory (R-SCAN-8).
const pageBytes = 2 << 20

// isTooLarge reports whether a page has more bytes than the call may hold, so that a smaller one can be read.
func isTooLarge(err error) bool {
	var failure *rs.Failure
	return errors.As(err, &failure) && failure.Reason == rs.ResponseTooLarge
}

// smallerPage returns the number of rows of a page after one that was too large.
func smallerPage(rows int) int { return max(1, rows/8) }

// patient returns a context that waits for memory if the page has one row, because no smaller page can be read.
func patient(ctx context.Context, rows int) context.Context {
	if rows > 1 {
		return ctx
	}
	return rs.AwaitMemory(ctx)
}

// fittingPage returns the number of rows of the next page: rs.MaxRows, or fewer if the rows of a response are large.
func fittingPage(list rs.List, response *rs.Response) int {
	if len(list.Rows) == 0 {
		return rs.MaxRows
	}
	return max(1, min(rs.MaxRows, len(list.Rows)*pageBytes/len(response.Compact())))
}
