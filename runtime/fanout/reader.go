// Package fanout reads from a package of grants as if it were one: a read of one source goes to the grant
// that has it, a search and a schema go to all of them and come back as one answer (R-PKG-1 to R-PKG-8).
// Nothing is kept between calls: the place of a search stands in its cursor.
package fanout

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// The defaults of Options.
const (
	DefaultChildTimeout = 2500 * time.Millisecond // interfaces.md, Limits
	DefaultConcurrency  = 24                      // sources take turns beyond it, and each turn is as long as a source
)

// Options says how the sources of a package are read. The zero value has the defaults.
type Options struct {
	ProviderURL string // the provider's public origin, without a trailing slash

	// ChildTimeout is what one source may take of a search or of a schema, all its requests together; zero
	// is DefaultChildTimeout. A read of one source has no other deadline than its reader and its context.
	ChildTimeout time.Duration

	// Concurrency is how many sources are read at once for one call; zero is DefaultConcurrency.
	Concurrency int

	// Observe is told of every request to a source; nil when nobody wants to know. It is called from several
	// goroutines at once.
	Observe func(Observation)
}

// Reader is an rs.Reader over the members of one package. It is cheap, immutable and safe for concurrent
// use; a host makes one per caller.
type Reader struct {
	options  Options
	active   []*Source // in the order of the package
	inactive []*Source

	connections map[string]bool // that one of them, active or not, stands for
}

var _ rs.Reader = (*Reader)(nil)

// New makes a reader over the members of a package. A grant that is listed twice counts once. An inactive
// source gives way to an active one of the same connection, which has taken its place.
func New(sources []Source, options Options) *Reader {
	if options.ChildTimeout <= 0 {
		options.ChildTimeout = DefaultChildTimeout
	}
	if options.Concurrency <= 0 {
		options.Concurrency = DefaultConcurrency
	}
	reader := &Reader{options: options, connections: map[string]bool{}}
	grants, connections := map[string]bool{}, map[string]bool{}
	for _, source := range sources {
		if source.usable() && !grants[source.GrantID] {
			grants[source.GrantID], connections[source.ConnectionID] = true, true
			reader.active = append(reader.active, &source)
		}
	}
	for _, source := range sources {
		replaced := source.ConnectionID != "" && connections[source.ConnectionID]
		if !source.usable() && !grants[source.GrantID] && !replaced {
			grants[source.GrantID] = true
			reader.inactive = append(reader.inactive, &source)
		}
	}
	for _, source := range slices.Concat(reader.active, reader.inactive) {
		reader.connections[source.ConnectionID] = true
	}
	return reader
}

// ProviderURL is the provider's public origin, without a trailing slash.
func (r *Reader) ProviderURL() string { return r.options.ProviderURL }

// Get answers a request by what its Sources say. Its error is a *tool.Error when the package has no source
// for it or several (R-ERR-5), else the *rs.Error or *rs.Failure of a source. An answer of one source
// passes through as it came; a merged one has the caller's request and no URL of a source.
func (r *Reader) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	if len(r.active) == 0 {
		return nil, r.revoked()
	}
	switch wanted := request.Sources.(type) {
	case rs.OneSource:
		source, err := r.one(wanted)
		if err != nil {
			return nil, err
		}
		return r.pass(ctx, source, request)
	case rs.HitsOfSources:
		if wanted.ConnectionID != nil {
			source, err := r.named(*wanted.ConnectionID, wanted.Streams)
			if err != nil {
				return nil, err
			}
			return r.pass(ctx, source, request)
		}
		return r.search(ctx, request, wanted)
	case *readPage:
		if response, ok := wanted.again(r, request); ok {
			return response, nil
		}
		return r.search(ctx, request, wanted.HitsOfSources)
	case rs.SchemaOfSources:
		if wanted.ConnectionID != nil {
			source, err := r.named(*wanted.ConnectionID, streamsOf(wanted.Stream))
			if err != nil {
				return nil, err
			}
			return r.pass(ctx, source, request)
		}
		return r.schema(ctx, request, wanted)
	}
	return nil, &tool.Error{
		Code: tool.PackageUnsupported,
		Message: fmt.Sprintf("a package of grants cannot answer GET %s, since the request does not tell which of its sources it is for; "+
			"use a tool that takes stream or connection_id", request.Path),
	}
}

func streamsOf(stream *string) []string {
	if stream == nil {
		return nil
	}
	return []string{*stream}
}

// pass lets one source answer the request as it is.
func (r *Reader) pass(ctx context.Context, source *Source, request rs.Request) (*rs.Response, error) {
	started := time.Now()
	response, err := source.Reader.Get(ctx, request)
	r.observe(source, started, err)
	return response, err
}
