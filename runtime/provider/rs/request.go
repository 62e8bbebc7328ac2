// Package rs is the client of a PDPP resource server (RS): paths, queries, filters, responses and errors. It does not
// know MCP, and it does not decode records.
package rs

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// Reader reads from a resource server with one bearer. Implementations are safe for concurrent use.
type Reader interface {
	// Get sends one GET. A response outside 2xx is an *Error that keeps the envelope. An unusable response is a *Failure.
	// Both have the request id if there is one.
	Get(ctx context.Context, request Request) (*Response, error)

	// ProviderURL is the provider's public origin, without a trailing slash. Record URLs are built on it.
	ProviderURL() string
}

// Origins returns the public origins of the providers that a request is sent to, each once.
func Origins(reader Reader, request Request) []string {
	if several, ok := reader.(interface{ Origins(Request) []string }); ok {
		return several.Origins(request)
	}
	return []string{reader.ProviderURL()}
}

// Opener is a Reader that also reads bytes. Client and the reader of a package are Openers; tool.Wrap preserves it.
type Opener interface {
	// Open starts to read the bytes of one source. Its errors are those of Get.
	Open(ctx context.Context, request Request, from Resume) (*Download, error)
}

// Rows of a page of records or of hits (docs/provider-contract.md).
const (
	DefaultRows = 25  // without a valid limit in the request
	MaxRows     = 100 // with any limit
)

// Request is one read.
type Request struct {
	Path    Path
	Query   Query
	Sources Sources // nil: the resource server finds the source

	// Optional names parameters that older servers refuse, the newest first. If a server refuses one, a Client repeats the
	// request without it, and the caller does what the parameter would have done (R-SCH-1).
	Optional []string
}

// Limit returns the maximum number of rows on a page of the request's list.
func (r Request) Limit() int {
	sent, _ := r.Query.Get(wire.Limit)
	limit, err := strconv.Atoi(sent)
	if err != nil || limit < 1 {
		return DefaultRows
	}
	return min(limit, MaxRows)
}

// maxRows returns how many rows of a connection the answer may have. Some lists have no limit, and a search may exceed
// it.
func (r Request) maxRows() int {
	if _, isSent := r.Query.Get(wire.Limit); isSent && !r.Path.isSearch() {
		return r.Limit()
	}
	return unlimitedRows
}

// IsExceededBy reports whether rows are more than the request's limit allows for one connection.
func (r Request) IsExceededBy(rows []rawjson.Row) bool {
	_, isSent := r.Query.Get(wire.Limit)
	return isSent && exceeds(rows, r.Limit())
}

// exceeds reports whether rows have more of one connection than the limit. Resource servers apply a limit to each
// connection.
func exceeds(rows []rawjson.Row, limit int) bool {
	if len(rows) <= limit {
		return false
	}
	counts := map[string]int{}
	for _, row := range rows {
		connection := row.Members.Text(wire.ConnectionID)
		if counts[connection]++; counts[connection] > limit {
			return true
		}
	}
	return false
}

const unlimitedRows = 10_000 // of a list without a limit (rawjson.Elements)

// Sources says which grants of a package a request needs. It is one of OneSource, NamedSource, HitsOfSources,
// SchemaOfSources, StreamsOfSources and MetadataOfSource. A reader with a single grant ignores it.
type Sources interface{ sources() }

// OneSource is a request to one source: the named one, or the only one that grants the stream (R-PKG-7).
type OneSource struct {
	Stream       string
	ConnectionID *string // nil: not named
	Filter       Filter  // of the call, also if the request does not send it; it chooses among grants of one connection
	GrantID      string  // one of these grants; empty: any
}

// HitsOfSources is a search whose responses are merged into one ranked list (R-PKG-2).
type HitsOfSources struct {
	Streams      []string // nil: every stream
	ConnectionID *string  // nil: every source
	OneRound     bool     // each source is asked once, even if the page is then not full
}

// SchemaOfSources is a schema read whose responses are merged into one document (R-PKG-7).
type SchemaOfSources struct {
	Stream       *string // nil: every stream
	ConnectionID *string // nil: every source
}

// StreamsOfSources is a list of streams whose responses are joined (R-SCH-9).
type StreamsOfSources struct {
	ConnectionID *string // nil: every source
}

// NamedSource is a request to the named source, or to the only one.
type NamedSource struct {
	ConnectionID *string // nil: not named
}

func (OneSource) sources()        {}
func (NamedSource) sources()      {}
func (HitsOfSources) sources()    {}
func (SchemaOfSources) sources()  {}
func (StreamsOfSources) sources() {}

// Path is the percent-encoded path of a request. It starts with a slash.
type Path string

// JoinPath encodes each segment and joins them: JoinPath("v1", "streams", `a b`) is "/v1/streams/a%20b".
// It does not check segments: package argument refuses unsafe ones before a path is built (R-ARG-7).
func JoinPath(segments ...string) Path {
	var path strings.Builder
	for _, segment := range segments {
		path.WriteByte('/')
		path.WriteString(url.PathEscape(segment))
	}
	return Path(path.String())
}

// RecordsPath returns the path of the records of a stream, or of one of them.
func RecordsPath(stream string, id ...string) Path {
	return JoinPath(append([]string{"v1", wire.Streams, stream, "records"}, id...)...)
}

// Named positions in a feed of changes. Servers know only "beginning".
const (
	feedBeginning = "beginning"
	feedNow       = "now"
)

// isFromNow reports whether the request asks for the current position in a feed, without rows (R-QRY-6).
func (r Request) isFromNow() bool {
	place, _ := r.Query.Get(wire.ChangesSince)
	return place == feedNow
}

// asSent returns the request in terms that servers know. For feedNow, it
// requests one row of the whole feed, because any first page has the current position (capture 050).
//
// The order of a hybrid search depends on its limit, because a server merges that many rows of each ranking (captures
// 920 and 920b). The client always requests the maximum, so that a smaller page is the start of a larger one.
func (r Request) asSent() Request {
	switch {
	case r.isFromNow():
		r.Query = r.Query.With(wire.ChangesSince, feedBeginning).With(wire.Limit, "1")
	case r.Path == HybridRoute:
		r.Query = r.Query.With(wire.Limit, strconv.Itoa(MaxRows))
	}
	return r
}

// Route is the endpoint that a path leads to.
type Route struct {
	Template string // one of the constants; a word in braces matches any segment
	Stream   string // in the path; empty if the template has none
}

// The endpoints that are read (docs/provider-contract.md).
const (
	RecordsRoute   = "/v1/streams/{stream}/records"
	RecordRoute    = "/v1/streams/{stream}/records/{id}"
	WindowRoute    = "/v1/streams/{stream}/records/{id}/field-window"
	AggregateRoute = "/v1/streams/{stream}/aggregate"
	SchemaRoute    = "/v1/schema"
	SearchRoute    = "/v1/search"
	SemanticRoute  = "/v1/search/semantic"
	HybridRoute    = "/v1/search/hybrid"
	StreamsRoute   = "/v1/streams"
	BlobRoute      = "/v1/blobs/{id}"
	OtherRoute     = "other"
)

var routes = [...]string{
	RecordsRoute, SchemaRoute, SearchRoute, RecordRoute, WindowRoute, AggregateRoute, SemanticRoute, HybridRoute, StreamsRoute, BlobRoute,
}

// Route returns the endpoint of a path that JoinPath built. The template of any other path is OtherRoute.
func (p Path) Route() Route {
	for _, template := range routes {
		if stream, ok := match(template, string(p)); ok {
			return Route{template, stream}
		}
	}
	return Route{Template: OtherRoute}
}

func (p Path) isSearch() bool { return p == SearchRoute || p == SemanticRoute || p == HybridRoute }

func match(template, path string) (stream string, ok bool) {
	template, path = template[1:], strings.TrimPrefix(path, "/")
	for template != "" && path != "" {
		var word, segment string
		word, template, _ = strings.Cut(template, "/")
		segment, path, _ = strings.Cut(path, "/")
		switch {
		case word == "{stream}":
			stream, _ = url.PathUnescape(segment) // JoinPath escaped it
		case word != segment && word[0] != '{':
			return "", false
		}
	}
	return stream, template == path
}
