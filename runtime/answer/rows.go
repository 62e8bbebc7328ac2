package answer

import "github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"

// Rows is a page of records: of one stream, of the timeline of all streams, or of what changed.
type Rows struct {
	Origin
	Coverage
	Envelope
	Paging
	Call         Given
	Stream       string   // tool.EveryStream for the records of all streams
	ConnectionID *string  // of the call
	Fields       []string // the requested fields; nil: all
	Expands      bool     // relations were requested
	IsSorted     bool     // an order other than the default one was requested
	Records      []Record
	Smaller      *Smaller // nil: the page has the requested limit
}

// Record is a record as it was sent. One that the adapter put together has no value, and its members are without data.
type Record = rawjson.Row

// Envelope has the members of a list next to its rows.
type Envelope struct {
	Members rawjson.Object // neither rows nor pages. The member meta has no value
	Meta    rawjson.Object // of the member meta. The member warnings has no value if it is in Warnings
	// Warnings are of the resource server and of the adapter. Each is an object with code and message.
	Warnings []rawjson.Value
}

// Paging says how a list continues after its page.
type Paging struct {
	HasMore  bool
	Cursor   string        // of the next page; may be empty
	Bookmark rawjson.Value // of a feed of changes; may be nil
	Limit    int           // of the page
	Skipped  int           // rows of the list before the page, after the cursor with which the page was read
	Places   Places        // makes cursors within the page; nil if the adapter computed the page
}

// Places makes cursors for positions within a page. The resource server only has cursors for the ends of pages. Places
// sends no request.
type Places interface {
	// After returns the cursor after the first rows of the page.
	After(rows int) string
	// AfterOf returns the cursor after the first rows of one connection, or "" if it has no rows.
	AfterOf(connectionID string, rows int) string
}

// Smaller describes a page that was read again with a smaller limit, because its rows did not fit (R-BUD-3).
type Smaller struct {
	Limit int // of the page that is shown
	Rows  int // of the page that did not fit
}

// Bookmarked returns the bookmark as a text, or "".
func (p Paging) Bookmarked() string { return rawjson.TextOf(p.Bookmark) }
