// Package fanout reads from several grants, those of a package or of this machine, as if they were one. A read of one
// source goes to the grant that has it. A search, a schema or a list of streams goes to all of them, and the answers
// are merged (R-PKG-1 to R-PKG-8). Packages host and membership make a Reader per call. Nothing is kept between calls:
// the position of a search is in its cursor.
package fanout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// DefaultChildTimeout is the default of Options.ChildTimeout (docs/interfaces.md, Limits).
const DefaultChildTimeout = 2500 * time.Millisecond

// Options configures a Reader. Zero values mean the defaults.
type Options struct {
	ProviderURL  string        // the public origin without a trailing slash; empty if the sources have several providers
	ChildTimeout time.Duration // of one source in a search or a schema, all requests together

	// Observe receives the result and the duration of every request to a source. It is called concurrently and may be
	// nil.
	Observe func(Result, time.Duration)
}

// Result is the result of a request to a source, as a label of a metric.
type Result string

// The results.
const (
	Answered Result = "answered"
	Refused  Result = "refused"   // its resource server refused
	TimedOut Result = "timed_out" // no answer within its deadline
	Failed   Result = "failed"    // another failure
)

func resultOf(err error) Result {
	_, isRefused := errors.AsType[*rs.Error](err)
	failure, isFailure := errors.AsType[*rs.Failure](err)
	switch {
	case err == nil:
		return Answered
	case isRefused:
		return Refused
	case isFailure && failure.Reason == rs.Timeout:
		return TimedOut
	}
	return Failed
}

// Reader is an rs.Reader over several sources. It is immutable and safe for concurrent use.
type Reader struct {
	options     Options
	active      []*Source // in the order of the package
	inactive    []absence
	connections map[string]bool      // of all sources, active or not
	shared      map[string][]*Source // the active sources of each connection that has several
}

var (
	_ rs.Reader   = (*Reader)(nil)
	_ rs.Opener   = (*Reader)(nil)
	_ tool.Merger = (*Reader)(nil)
)

// New returns a reader over the sources. It ignores duplicates. It ignores an inactive source if an active one has the
// same connection.
func New(sources []Source, options Options) *Reader {
	options.ChildTimeout = cmp.Or(options.ChildTimeout, DefaultChildTimeout)
	reader := &Reader{options: options, connections: map[string]bool{}, shared: map[string][]*Source{}}
	known := map[sourceKey]bool{}
	for _, source := range sources {
		reader.connections[source.ConnectionID] = true
		if source.isActive() && !known[source.key()] {
			known[source.key()] = true
			reader.active = append(reader.active, &source)
			reader.shared[source.ConnectionID] = append(reader.shared[source.ConnectionID], &source)
		}
	}
	maps.DeleteFunc(reader.shared, func(id string, sources []*Source) bool { return id == "" || len(sources) == 1 })
	for _, source := range sources {
		isReplaced := source.ConnectionID != "" && len(reader.having(source.ConnectionID)) > 0
		if !source.isActive() && !known[source.key()] && !isReplaced {
			known[source.key()] = true
			reader.inactive = append(reader.inactive, absence{&source, cmp.Or[error](source.Missing, errInactive), tryLater})
		}
	}
	return reader
}

// ProviderURL returns the provider's public origin, without a trailing slash; empty when there are several.
func (r *Reader) ProviderURL() string { return r.options.ProviderURL }

// Get answers a request according to its Sources. Its error is a *tool.Error if no source or several match (R-ERR-5),
// and otherwise the *rs.Error or *rs.Failure of a source. The response of one source is unchanged. A named source must
// not send records that claim to belong to another one.
func (r *Reader) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	if len(r.active) == 0 {
		return nil, r.revoked()
	}
	source, err := r.one(request)
	if err != nil {
		return nil, err
	}
	started := time.Now()
	response, err := source.Reader.Get(ctx, source.own(request))
	if connectionID, _ := scopeOf(request.Sources); err == nil && connectionID != nil {
		err = r.refuseClaims(ctx, source, response)
	}
	r.observe(started, err)
	if err != nil {
		return nil, err
	}
	response.ProviderURL, response.GrantIDs = source.Reader.ProviderURL(), []string{source.GrantID}
	return response, nil
}

// Absences returns warnings about sources that could have contributed to the answer to a request for one source.
// Without a connection, an inactive source may have the stream too (R-LOCAL-2).
func (r *Reader) Absences(ctx context.Context, request rs.Request) (warnings []rawjson.Value) {
	connectionID, streams := scopeOf(request.Sources)
	if connectionID == nil {
		warnings = report(ctx, r.ended(streams))
	}
	one, isOne := request.Sources.(rs.OneSource)
	if source, err := r.one(request); err == nil && isOne && request.Path.Route().Template != rs.SchemaRoute {
		warnings = append(warnings, r.overlaps(source, granted.NeedOf(request, one.Stream))...)
	}
	return warnings
}

// Open starts to read bytes of the source that the request names. Its errors are those of Get.
func (r *Reader) Open(ctx context.Context, request rs.Request, from rs.Resume) (*rs.Download, error) {
	if len(r.active) == 0 {
		return nil, r.revoked()
	}
	source, err := r.one(request)
	if err != nil {
		return nil, err
	}
	opener, isOpener := source.Reader.(rs.Opener)
	if !isOpener {
		return nil, unanswerable(request)
	}
	started := time.Now()
	download, err := opener.Open(ctx, request, from)
	r.observe(started, err)
	return download, r.withOtherGrants(source, request, err)
}

// Origins returns the public origins of the providers that a request for records or hits asks, each once.
func (r *Reader) Origins(request rs.Request) []string {
	var sources []*Source
	if hits, isSearch := request.Sources.(rs.HitsOfSources); isSearch && hits.ConnectionID == nil {
		sources = r.granting(hits.Streams)
	} else if source, err := r.one(request); err == nil {
		sources = []*Source{source}
	}
	var origins []string
	for _, source := range sources {
		origins = append(origins, source.Reader.ProviderURL())
	}
	slices.Sort(origins)
	return slices.Compact(origins)
}

// refuseClaims returns an error if a record claims to belong to another source, because its handle would lead there
// (R-PKG-2).
func (r *Reader) refuseClaims(ctx context.Context, source *Source, response *rs.Response) error {
	rows := []rawjson.Value{response.Body()}
	if list, err := response.List(); err == nil {
		rows = list.Rows
	}
	for _, row := range rows {
		if err := callEnded(ctx); err != nil {
			return err
		}
		if record, _ := rawjson.ParseObject(row); r.claimsOther(record, source) {
			return response.Unusable("the source "+source.name()+" sent records that claim to be of another granted source", "")
		}
	}
	return nil
}

// claimsOther reports whether a record names a connection of a source that is not in own. A connection of no source is
// allowed, because a grant can have connections that are not known.
func (r *Reader) claimsOther(record rawjson.Object, own ...*Source) bool {
	return slices.ContainsFunc([]string{wire.ConnectionID, "connector_instance_id"}, func(name string) bool {
		id := record.Text(name)
		return id != "" && r.connections[id] && !slices.ContainsFunc(own, func(s *Source) bool { return s.ConnectionID == id })
	})
}

func (r *Reader) observe(started time.Time, err error) {
	if r.options.Observe != nil {
		r.options.Observe(resultOf(err), time.Since(started))
	}
}

// unanswerable refuses a request without sources.
func unanswerable(request rs.Request) *tool.Error {
	return &tool.Error{Code: tool.PackageUnsupported, Message: fmt.Sprintf(
		"GET %s needs one source of the package, and the request names none; use a tool that takes stream or connection_id", request.Path)}
}
