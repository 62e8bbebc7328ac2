// Package rs is the client of a PDPP resource server (RS): paths, queries, filters, responses and
// errors. It knows nothing of MCP, and it leaves records as the bytes that the RS sent.
package rs

import (
	"context"
	"net/url"
	"strconv"
	"strings"
)

// Reader reads from a resource server with one bearer. Implementations are safe for concurrent use.
type Reader interface {
	// Get sends one GET. A response outside 2xx is an *Error that keeps the envelope; a response
	// that cannot be used at all is a *Failure. Both know the request id when there was one.
	Get(ctx context.Context, request Request) (*Response, error)

	// ProviderURL is the provider's public origin, without a trailing slash. Record URLs are built on it.
	ProviderURL() string
}

// Origins are the public origins of the providers that a request is sent to, each once. It is that of the reader, unless this one
// reads several providers as one.
func Origins(reader Reader, request Request) []string {
	if several, ok := reader.(interface{ Origins(Request) []string }); ok {
		return several.Origins(request)
	}
	return []string{reader.ProviderURL()}
}

// Opener is a Reader that reads bytes too. Client and the reader of a package are; Wrap passes it on.
type Opener interface {
	// Open begins to read the bytes of one source, from the first on. Its errors are those of Get.
	Open(ctx context.Context, request Request, from Resume) (*Download, error)
}

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
	// refuses and asks again; the reader of the answer then does what the parameter stands for (R-SCH-1).
	Optional []string

	// Ahead is told the cursor that seems to lead on from a page as soon as the page's body has come, so that the next page can
	// be asked for while this one is checked; nil: nobody. What the answer says is what holds, if there is one. It is called at
	// most once, before Get returns, and a reader need not call it.
	Ahead func(cursor string)
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

// maxRows returns how many rows of a connection the answer may have. A server may have another default than DefaultRows, and
// some lists have no limit.
func (r Request) maxRows() int {
	if _, isSent := r.Query.Get("limit"); isSent {
		return r.Limit()
	}
	return maxRows
}

// Sources says what a request needs of a package, which is several grants under one bearer. It is one of
// OneSource, NamedSource, HitsOfSources, SchemaOfSources and StreamsOfSources. A reader with a single grant ignores it.
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

// StreamsOfSources is a list of streams whose answers are put together (R-SCH-9).
type StreamsOfSources struct {
	ConnectionID *string // nil: every source
}

// NamedSource is a request that the named source answers, or the only one.
type NamedSource struct {
	ConnectionID *string // nil: not named
}

func (OneSource) sources()        {}
func (NamedSource) sources()      {}
func (HitsOfSources) sources()    {}
func (SchemaOfSources) sources()  {}
func (StreamsOfSources) sources() {}

// Path is the percent-encoded path of a request, beginning with a slash.
type Path string

// JoinPath encodes each segment and joins them: JoinPath("v1", "streams", `a b`) is "/v1/streams/a%20b".
// It does not judge segments; package argument refuses the unsafe ones before a path is built (R-ARG-7).
func JoinPath(segments ...string) Path {
	var path strings.Builder
	for _, segment := range segments {
		path.WriteByte('/')
		path.WriteString(url.PathEscape(segment))
	}
	return Path(path.String())
}

// The places in a feed of changes that have a name. Servers know the first one only.
const (
	feedPlace     = "changes_since"
	feedBeginning = "beginning"
	feedNow       = "now"
)

// isFromNow reports whether the request asks for this moment's place in a feed, and for no rows (R-QRY-6).
func (r Request) isFromNow() bool {
	place, _ := r.Query.Get(feedPlace)
	return place == feedNow
}

// asSent is the request in words that servers know, and how many rows of the answer were asked for; zero: all of them. The
// place of this moment stands beside the first page of the whole feed, however small that page is (050).
//
// A server fuses as many rows of its rankings as the limit says, so that another limit gives another order (920, 920b): a hybrid
// search is always asked for the most, and a smaller page is the beginning of a larger one.
func (r Request) asSent() (Request, int) {
	switch {
	case r.isFromNow():
		r.Query = r.Query.With(feedPlace, feedBeginning).With("limit", "1")
	case r.Path == HybridRoute:
		most := r.Limit()
		r.Query = r.Query.With("limit", strconv.Itoa(MostRows))
		return r, most
	}
	return r, 0
}
