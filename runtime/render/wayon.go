package render

import (
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// wayOn is how a page is continued. Both channels are written from it alone, so that they say the same (R-HAND-8).
type wayOn struct {
	whole  bool   // the page shows every row that the RS sent, so that what the RS says of paging holds
	cursor string // of the next page; empty: none
	made   bool   // the cursor is the adapter's, of which the RS knows nothing
	calls  []Call
	ended  string // what to say when more rows match than the cursor and the calls lead to; empty: they lead to all
}

// hasMore reports whether a call gets more rows. That more of them match is no more than said when none does.
func (on wayOn) hasMore() bool { return len(on.calls) > 0 || on.cursor != "" }

// isIn is said of what stands in the call below, and there alone (R-BUD-4).
const isIn = " is in:"

// lines are the way on in text. The cursor is in the call that goes on; where no call is, it stands by itself.
func (on wayOn) lines() []string {
	var lines []string
	switch {
	case on.cursor != "" && len(on.calls) == 0:
		lines = append(lines, Token("next_cursor", on.cursor))
	case on.cursor != "":
		lines = append(lines, "next_cursor (for these arguments only)"+isIn)
	}
	for _, call := range on.calls {
		lines = append(lines, call.Line())
	}
	return lines
}

// from gives the way on from a page of a list to which a single cursor leads, the RS's own or one that it is asked for
// more rows with. Shown is how many rows of the page are; narrowing is what gets others when a list ends that has more. It
// has no calls yet.
func (l list) from(response *rs.Response, shown, leftOut int, narrowing string) wayOn {
	on := wayOn{whole: leftOut == 0}
	if reading := response.Reading; reading != nil {
		on.made = true
		switch {
		case reading.CursorAfter == nil:
			if on.cursor = reading.Behind; !on.whole {
				on.ended = fmt.Sprintf("%d rows of these do not fit into a result; name fewer fields to see them.", leftOut)
			}
		case shown == 0 && !on.whole:
			on.ended = "The next row does not fit into a result."
		default:
			on.cursor = reading.CursorAfter(shown)
		}
		return on
	}
	more := !on.whole || string(l.Get("has_more")) == "true"
	on.cursor = l.Text("next_cursor")
	if on.whole && (on.cursor != "" || !more) {
		return on
	}
	on.cursor = ""
	start, err := tool.PlaceOf(response.Request)
	if err != nil {
		return on // never of a request that was answered
	}
	next := tool.Place{Cursor: start.Cursor, Skip: start.Skip + shown}
	switch {
	case !on.whole && shown == 0:
		on.ended = "The next row does not fit into a result."
	case on.whole && (shown == 0 || next.Skip >= rs.MostRows):
		on.ended = fmt.Sprintf("The resource server goes no further than %d, and more match. To get others, call again with %s.", next.Skip, narrowing)
	default:
		on.cursor, on.made = next.CursorAt(response.Request), true
	}
	return on
}
