package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// tellMore says on stderr that a list has more rows than were printed, which neither a table nor a text shows (R-HAND-8).
// The lists of operator commands have no pages, so there is no way to the others.
func tellMore(out io.Writer, answer *tool.Result) {
	var list struct {
		Data    []json.RawMessage `json:"data"`
		HasMore bool              `json:"has_more"`
	}
	if err := json.Unmarshal(answer.Structured, &list); err == nil && list.HasMore {
		fmt.Fprintf(out, "the provider has more than these %d rows\n", len(list.Data))
	}
}
