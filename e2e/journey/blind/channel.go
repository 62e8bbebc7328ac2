package blind

import (
	"encoding/json"
	"strings"
	"time"
)

// Channel reads one part of a result. Text and Structured are the two there are.
type Channel interface {
	Index(seen string) ([]Source, error)
	Stream(seen string) (Stream, error)
	Page(seen string) (Page, error)
	Aggregate(seen string) (Aggregate, error)
	Hits(seen string) (Hits, error)
	Document(seen string) (Document, error)
	Window(seen string) (Window, error)
	Refusal(seen string) (Refusal, bool)
}

// Source is one stream of one connection, as the index of schema lists it.
type Source struct {
	Stream       string
	ConnectionID string
	ConnectorKey string
	Label        string // the display name of the connection
}

// Stream is a stream in the result of schema.
type Stream struct {
	Fields []Field
	Legend map[string]string // what a flag means and how it is used, by flag
	Sorts  []string          // values that sort takes
}

// Field is a field and its flags; a flag without a value, such as eq, has none.
type Field struct {
	Name  string
	Flags map[string][]string
}

// Row is one record of a page.
type Row struct {
	ID      string // empty when none is shown
	Deleted bool
	Values  map[string]json.RawMessage // what is shown whole
	Clipped map[string]string          // the beginnings of those that are not
	// Expanded are the relations, as JSON; nil without any.
	Expanded json.RawMessage
	Next     []Call // read on in the row
}

// Page is a page of records.
type Page struct {
	Rows     []Row
	HasMore  bool
	Cursor   string // next_cursor
	Bookmark string // next_changes_since
	Count    int    // of all records that match; -1 when it is not said
	Next     []Call
}

// Aggregate is a number, or groups.
type Aggregate struct {
	Value  json.RawMessage
	Groups []Group
	Others int // records outside the groups
}

// Group is the number of records with one key, which is JSON.
type Group struct {
	Key   json.RawMessage
	Count int
}

// Hit is a record that a search found.
type Hit struct {
	ID     string // empty when none is shown
	Stream string
	Label  string // the display name of its connection
	Title  string
	Time   time.Time // of the event; zero when none is shown
	Text   string    // what is shown of it, with the marks of a match
	Field  string    // the path of the field in which the match is; empty when it is not said
}

// readTime returns the time that a hit shows; zero when it shows none that can be read.
func readTime(shown string) time.Time {
	at, err := time.Parse(time.RFC3339, shown)
	if err != nil {
		return time.Time{}
	}
	return at
}

// Hits is a page of search hits.
type Hits struct {
	List    []Hit
	HasMore bool
	Cursor  string
	Next    []Call
}

// IDs are those of the hits.
func (h Hits) IDs() []string {
	var ids []string
	for _, hit := range h.List {
		ids = append(ids, hit.ID)
	}
	return ids
}

// Document is a fetched record. Its form is the same in both channels.
type Document struct {
	ID   string
	Text string
	Next []Call
}

// Value returns the value of a field in the text.
func (d Document) Value(field string) string {
	for line := range strings.SplitSeq(d.Text, "\n") {
		if said, found := strings.CutPrefix(line, field+": "); found {
			return said
		}
	}
	return ""
}

// Window is a part of a text field.
type Window struct {
	Text    string
	Total   int // characters of the whole field, as the resource server counts them
	HasMore bool
	Next    []Call
}

// Refusal is an error object. It is the same in both channels.
type Refusal struct {
	Code        string
	Message     string
	Param       string // the argument that it is about, if it says so
	RetryWith   string
	Connections []Source // to choose from; of each the id and the label
}

// nextCall returns the first of the calls that goes to a tool.
func nextCall(calls []Call, tool string) (Call, bool) {
	for _, call := range calls {
		if call.Tool == tool {
			return call, true
		}
	}
	return Call{}, false
}
