package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// errNoWayOn is the cause when a list has more rows and no page to find them in.
var errNoWayOn = errors.New("the list cannot be read on")

func noWayOn(why string) *rs.Failure {
	return &rs.Failure{Reason: rs.InvalidResponse, Message: "the provider has more rows and " + why + "; ask its operator", Cause: errNoWayOn}
}

// providerList is a list as the provider sent it, which is what an operator command prints.
type providerList struct {
	Data       []json.RawMessage `json:"data"`
	HasMore    bool              `json:"has_more"`
	NextCursor string            `json:"next_cursor"`
}

// listPages reads the pages of one list. It remembers the cursors, so that a provider cannot keep it going with the same
// pages.
type listPages struct{ seen map[string]bool }

func newListPages() *listPages { return &listPages{seen: map[string]bool{}} }

func (l *listPages) read(answer *tool.Result, arguments json.RawMessage) (*page, error) {
	var list providerList
	if err := json.Unmarshal(answer.Structured, &list); err != nil {
		return nil, fmt.Errorf("read the provider's list: %w", err)
	}
	read := &page{rows: list.Data}
	if !list.HasMore {
		return read, nil
	}
	l.seen[cursorOf(arguments)] = true
	switch {
	case list.NextCursor == "":
		read.stuck = noWayOn("gives no next_cursor to reach them")
		return read, nil
	case l.seen[list.NextCursor]:
		read.stuck = noWayOn("gave a next_cursor twice, so that its pages would not end")
		return read, nil
	}
	next, err := withCursor(arguments, list.NextCursor)
	read.next = next
	return read, err
}

// withCursor is the same call for another page.
func withCursor(arguments json.RawMessage, cursor string) (json.RawMessage, error) {
	passed := map[string]json.RawMessage{}
	if err := json.Unmarshal(arguments, &passed); err != nil {
		return nil, fmt.Errorf("read the arguments: %w", err)
	}
	passed["cursor"] = json.RawMessage(quote(cursor))
	next, err := json.Marshal(passed)
	if err != nil {
		return nil, fmt.Errorf("write the arguments: %w", err)
	}
	return next, nil
}

// tellMore says on stderr that a list has more rows than were printed, and the command line that reads on, if there is one:
// a table shows neither has_more nor next_cursor (R-HAND-8).
func tellMore(out io.Writer, answer *tool.Result, arguments json.RawMessage, readOn func(json.RawMessage) string) {
	var list providerList
	if err := json.Unmarshal(answer.Structured, &list); err != nil || !list.HasMore {
		return
	}
	next, err := withCursor(arguments, list.NextCursor)
	if readOn == nil || list.NextCursor == "" || err != nil {
		fmt.Fprintf(out, "the provider has more than these %d rows\n", len(list.Data))
		return
	}
	fmt.Fprintf(out, "the provider has more than these %d rows; pass --all for every one, or read on: %s\n", len(list.Data), readOn(next))
}
