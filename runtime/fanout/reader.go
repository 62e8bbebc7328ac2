// Package fanout reads from several grants, those of a package or of this machine, as if they were one. A read of one source goes to the
// grant that has it. A search, a schema or a list of streams goes to all of them, and the answers are merged (R-PKG-1 to R-PKG-8).
// Packages host and membership make a Reader per call. Nothing is kept between calls: the position of a search is in its cursor.
package fanout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// The defaults of Options.
const (
	DefaultChildTimeout = 2500 * time.Millisecond // interfaces.md, Limits
	DefaultConcurrency  = 24
)

// Options configures a Reader. Zero values mean the defaults.
type Options struct {
	ProviderURL  string        // the public origin without a trailing slash; empty if the sources have several providers
	ChildTimeout time.Duration // of one source in a search or a schema, all requests together
	Concurrency  int           // sources that one call reads at the same time

	// Observe receives the result and the duration of every request to a source. It is called concurrently and may be nil.
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
	var refused *rs.Error
	var failure *rs.Failure
	switch {
	case err == nil:
		return Answered
	case errors.As(err, &refused):
		return Refused
	case errors.As(err, &failure) && failure.Reason == rs.Timeout:
		return TimedOut
	}
	return Failed
}

// Reader is an rs.Reader over several sources. It is immutable and safe for concurrent use.
type Reader struct {
	options  Options
	active   []*Source // in the order of the package
	inactive []*Source

	connections map[string]bool // of all sources, active or not
}

var (
	_ rs.Reader = (*Reader)(nil)
	_ rs.Opener = (*Reader)(nil)
)

// New returns a reader over the sources. It ignores duplicates. It ignores an inactive source if an active one has the same connection.
func New(sources []Source, options Options) *Reader {
	options.ChildTimeout = cmp.Or(options.ChildTimeout, DefaultChildTimeout)
	options.Concurrency = cmp.Or(options.Concurrency, DefaultConcurrency)
	reader := &Reader{options: options, connections: map[string]bool{}}
	known, connections := map[sourceKey]bool{}, map[string]bool{}
	for _, source := range sources {
		if source.usable() && !known[source.key()] {
			known[source.key()], connections[source.ConnectionID] = true, true
			reader.active = append(reader.active, &source)
		}
	}
	for _, source := range sources {
		replaced := source.ConnectionID != "" && connections[source.ConnectionID]
		if !source.usable() && !known[source.key()] && !replaced {
			known[source.key()] = true
			source.Missing = cmp.Or[error](source.Missing, errInactive)
			reader.inactive = append(reader.inactive, &source)
		}
	}
	for _, source := range slices.Concat(reader.active, reader.inactive) {
		reader.connections[source.ConnectionID] = true
	}
	return reader
}

// ProviderURL is the provider's public origin, without a trailing slash; empty when there are several.
func (r *Reader) ProviderURL() string { return r.options.ProviderURL }

// Get answers a request according to its Sources. Its error is a *tool.Error if no source or several match (R-ERR-5), and otherwise the
// *rs.Error or *rs.Failure of a source. The response of one source is unchanged. A named source must not send records that claim to belong
// to another one. A merged response has the caller's request and no URL of a source.
func (r *Reader) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	if len(r.active) == 0 {
		return nil, r.revoked()
	}
	var source *Source
	var streams []string
	var err error
	isNamed := true
	switch wanted := request.Sources.(type) {
	case rs.OneSource:
		source, err = r.one(wanted)
		streams, isNamed = []string{wanted.Stream}, wanted.ConnectionID != nil
	case rs.HitsOfSources:
		if wanted.ConnectionID == nil {
			return r.search(ctx, request, wanted)
		}
		source, err = r.named(*wanted.ConnectionID, wanted.Streams)
	case *readPage:
		if response, ok := wanted.shortened(r, request); ok {
			return response, nil
		}
		return r.search(ctx, request, wanted.HitsOfSources)
	case rs.SchemaOfSources:
		if wanted.ConnectionID == nil {
			return r.schema(ctx, request, wanted)
		}
		source, err = r.named(*wanted.ConnectionID, streamsOf(wanted.Stream))
	case rs.StreamsOfSources:
		if wanted.ConnectionID == nil {
			return r.streams(ctx, request)
		}
		source, err = r.named(*wanted.ConnectionID, nil)
	default:
		err = unanswerable(request)
	}
	if err != nil {
		return nil, err
	}
	started := time.Now()
	response, err := source.Reader.Get(ctx, source.own(request))
	if err == nil && isNamed {
		err = r.refuseClaims(ctx, source, response)
	}
	r.observe(started, err)
	if err != nil {
		return nil, err
	}
	response.ProviderURL, response.GrantIDs = source.Reader.ProviderURL(), []string{source.GrantID}
	if !isNamed {
		// An inactive source may have the stream too (R-LOCAL-2).
		ended := r.ended(streams)
		miss(ctx, ended...)
		response.Absent = warningsOf(nil, ended, "")
	}
	return response, nil
}

// unanswerable refuses a request without sources.
func unanswerable(request rs.Request) *tool.Error {
	return &tool.Error{
		Code: tool.PackageUnsupported,
		Message: fmt.Sprintf("GET %s needs one source of the package, and the request names none; "+
			"use a tool that takes stream or connection_id", request.Path),
	}
}

// Open starts to read bytes of the source that the request names. Its errors are those of Get.
func (r *Reader) Open(ctx context.Context, request rs.Request, from rs.Resume) (*rs.Download, error) {
	if len(r.active) == 0 {
		return nil, r.revoked()
	}
	var source *Source
	var err error
	switch wanted := request.Sources.(type) {
	case rs.OneSource:
		source, err = r.one(wanted)
	case rs.NamedSource:
		source, err = r.namedOrOnly(wanted.ConnectionID)
	default:
		err = unanswerable(request)
	}
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

// refuseClaims returns an error if a record of a response claims to belong to another source, because its handle would lead there
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
		if claims(row, r.connections, []*Source{source}) {
			return response.Unusable("the source "+source.name()+" sent records that claim to be of another granted source", "")
		}
	}
	return nil
}

func streamsOf(stream *string) []string {
	if stream == nil {
		return nil
	}
	return []string{*stream}
}

func (r *Reader) observe(started time.Time, err error) {
	if r.options.Observe != nil {
		r.options.Observe(resultOf(err), time.Since(started))
	}
}

// question is one request to one source.
type question struct {
	source  *Source
	request rs.Request
}

// answer is the answer to a question.
type answer struct {
	response *rs.Response
	err      error
}

// ask sends the questions concurrently and waits for all answers until the deadline. Waiting for a free slot counts against the deadline.
// It returns an error if the call has ended.
func (r *Reader) ask(ctx context.Context, questions []question, deadline time.Time) ([]answer, error) {
	answers := make([]answer, len(questions))
	var running errgroup.Group // a failed request does not cancel the others
	running.SetLimit(r.options.Concurrency)
	for i, each := range questions {
		running.Go(func() error {
			answers[i].response, answers[i].err = r.askOne(ctx, each, deadline)
			return nil
		})
	}
	_ = running.Wait()
	return answers, callEnded(ctx)
}

// callEnded returns an error if the context of a call has ended. Every loop over the rows of a source checks it (R-ERR-9).
func callEnded(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &rs.Failure{
			Reason: rs.Timeout, Message: "the call ended before every granted source had answered",
			NextStep: "ask for less, or try again", Cause: err,
		}
	}
	return nil
}

// gather sends one request to each grant of these sources. It returns the merged response without a body, and warnings about missing
// sources. It passes each answer to take, which returns an error for an unusable one. If no source answered, the error covers all of them.
func (r *Reader) gather(
	ctx context.Context, request rs.Request, sources []*Source, ended []absence, take func(context.Context, *Source, *rs.Response) error,
) (*rs.Response, []rawjson.Value, error) {
	asked := oneOfEach(sources)
	questions := make([]question, len(asked))
	for i, source := range asked {
		questions[i] = question{source, request}
	}
	answers, err := r.ask(ctx, questions, time.Now().Add(r.options.ChildTimeout))
	if err != nil {
		return nil, nil, err
	}
	merged := &rs.Response{Status: 200, URL: r.url(request), Request: request}
	var missing []absence
	for i, each := range answers {
		err := each.err
		if err == nil {
			err = take(ctx, asked[i], each.response)
		}
		if ended := callEnded(ctx); ended != nil {
			return nil, nil, ended
		}
		if err != nil {
			for _, source := range keep(r.active, asked[i].sharesWith) {
				missing = append(missing, absence{source: source, err: err})
			}
			continue
		}
		merged.GrantIDs = asked[i].addTo(merged.GrantIDs)
		merged.RequestID = cmp.Or(merged.RequestID, each.response.RequestID)
	}
	if len(asked) > 0 && merged.GrantIDs == nil {
		return nil, nil, failed(append(missing, ended...), merged.URL)
	}
	miss(ctx, append(missing, ended...)...)
	return merged, warningsOf(missing, ended, ""), nil
}

func (r *Reader) askOne(ctx context.Context, q question, deadline time.Time) (*rs.Response, error) {
	started := time.Now()
	limited, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	response, err := q.source.Reader.Get(limited, q.request)
	var refused *rs.Error
	if err != nil && errors.Is(limited.Err(), context.DeadlineExceeded) && !errors.As(err, &refused) {
		err = &rs.Failure{Reason: rs.Timeout, Message: fmt.Sprintf("the source did not answer within %s", r.options.ChildTimeout), Cause: err}
	}
	r.observe(started, err)
	return response, err
}
