package scan

import (
	"errors"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// pageBytes is the size of a page of large rows, in bytes. The pages that a call reads at the same time share its memory (R-SCAN-8).
const pageBytes = 2 << 20

// isTooLarge reports whether a page has more bytes than the call may hold, so that a smaller one can be read.
func isTooLarge(err error) bool {
	var failure *rs.Failure
	return errors.As(err, &failure) && failure.Reason == rs.ResponseTooLarge
}

// smallerPage returns the number of rows of a page after one that was too large.
func smallerPage(rows int) int { return max(1, rows/8) }

// fittingPage returns the number of rows of the next page: as many as before, or fewer if the rows of a response were large.
func fittingPage(response *rs.Response, rows int) int {
	size := len(response.Compact())
	if size <= pageBytes {
		return rows
	}
	list, err := response.List()
	if err != nil || len(list.Rows) == 0 {
		return rows
	}
	return max(1, min(rows, len(list.Rows)*pageBytes/size))
}
