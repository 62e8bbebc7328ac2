package rs

import "strconv"

// Rows of a page of records or of hits (rs-contract.md).
const (
	DefaultRows = 25  // when a request has no limit that servers take
	MostRows    = 100 // whatever limit is sent
)

// Request is one read. It is a value: a reader keeps nothing of it but what Response.Request says.
type Request struct {
	Path    Path
	Query   Query
	Sources Sources // nil: the resource server itself finds the source

	// Optional names parameters that older servers refuse, the newest first. A Client leaves out one that its server
	// refuses and asks again; whoever reads the answer does then what the parameter stands for (R-SCH-1).
	Optional []string
}

// Limit is how many rows a page of the request's list has at most.
func (r Request) Limit() int {
	sent, _ := r.Query.Get("limit")
	limit, err := strconv.Atoi(sent)
	if err != nil || limit < 1 {
		return DefaultRows
	}
	return min(limit, MostRows)
}

// Sources says what a request needs of a package, which is several grants under one bearer. It is one of
// OneSource, HitsOfSources and SchemaOfSources. A reader with a single grant ignores it.
type Sources interface{ sources() }

// OneSource is a request that a single source answers: the one named, or the only one that grants the
// stream (R-PKG-7).
type OneSource struct {
	Stream       string
	ConnectionID *string // nil: not named
}

// HitsOfSources is a search whose answers are merged into one ranked list (R-PKG-2).
type HitsOfSources struct {
	Streams      []string // nil: every stream
	ConnectionID *string  // nil: every source
}

// SchemaOfSources is a schema read whose answers are merged into one document (R-PKG-7).
type SchemaOfSources struct {
	Stream       *string // nil: every stream
	ConnectionID *string // nil: every source
}

func (OneSource) sources()       {}
func (HitsOfSources) sources()   {}
func (SchemaOfSources) sources() {}
