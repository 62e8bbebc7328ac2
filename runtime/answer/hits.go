package answer

import "github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"

// Hits is a page of a search.
type Hits struct {
	Origin
	Coverage
	Envelope
	Paging
	Call     Given
	Question Question
	Hits     []Hit
	Relaxed  *Relaxed // nil: the hits match the query as given
	Smaller  *Smaller // nil: the page has the requested limit
}

// Question has the arguments of a search.
type Question struct {
	Words        string
	Mode         string // lexical, semantic or hybrid
	ConnectionID string // of the only source; empty: every source
	Streams      []string
	Narrowed     []string // the arguments that leave out records, in the order of the query
	IsLaterPage  bool
}

// Hit is a hit as it was sent. Its parts share memory.
type Hit struct {
	Members rawjson.Object // with those that name its source
	Words   []string       // of a relaxed search that the hit matches

	Record    rawjson.Object // the fields of its record; nil: not read
	EventTime string         // when it happened, of a field of the record that only the schema names; empty: unknown or not needed
}
