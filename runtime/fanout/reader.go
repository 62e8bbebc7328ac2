// Package fanout reads from several grants, those of a package or of this machine, as if they were one: a read of one source
// goes to the grant that has it, a search and a schema go to all of them and come back as one answer (R-PKG-1 to R-PKG-8).
// Nothing is kept between calls: the place of a search stands in its cursor.
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

// Options says how the sources of a package are read. The zero value has the defaults.
type Options struct {
	// ProviderURL is the provider's public origin, without a trailing slash. It is empty when the sources are of several
	// providers: each hit then says of which.
	ProviderURL string

	// ChildTimeout is what one source may take of a search or of a schema, all its requests together; zero
	// is DefaultChildTimeout. A read of one source has no other deadline than its reader and its context.
	ChildTimeout time.Duration

	// Concurrency is how many sources are read at once for one call; zero is DefaultConcurrency. The others wait.
	Concurrency int

	// Observe is told what became of every request to a source and how long it took; it may be nil. It is called
	// concurrently.
	Observe func(Result, time.Duration)
}

// Result is what became of a request to a source, as a metric's label.
type Result string

// The results.
const (
	Answered Result = "answered"
	Refused  Result = "refused"   // its resource server refused
	TimedOut Result = "timed_out" // no answer within its deadline
	Failed   Result = "failed"    // no usable answer for another reason
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

// Reader is an rs.Reader over the members of one package. It is cheap, immutable and safe for concurrent
// use; a host makes one per caller.
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

// New makes a reader over the sources. One that is listed twice counts once. An inactive source gives way to an active one of
// the same connection, which has taken its place.
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

// Get answers a request by what its Sources say. Its error is a *tool.Error when the package has no source
// for it or several (R-ERR-5), else the *rs.Error or *rs.Failure of a source. The answer of one source passes
// through as it came, but is an *rs.Failure when that source was asked by its connection and a record claims
// to be of another member's. A merged answer has the caller's request and no URL of a source.
func (r *Reader) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	if len(r.active) == 0 {
		return nil, r.revoked()
	}
	var source *Source
	var err error
	isNamed := true
	switch wanted := request.Sources.(type) {
	case rs.OneSource:
		source, err = r.one(wanted)
		isNamed = wanted.ConnectionID != nil
	case rs.HitsOfSources:
		if wanted.ConnectionID == nil {
			return r.search(ctx, request, wanted)
		}
		source, err = r.named(*wanted.ConnectionID, wanted.Streams)
	case *readPage:
		if response, ok := wanted.again(r, request); ok {
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
		response.Absent = r.absentFrom(request)
	}
	return response, nil
}

// absentFrom are warnings of the sources that cannot be read and might have the stream of a request that names none: the caller
// takes the answer of the only one that is left for all there is (R-LOCAL-2).
func (r *Reader) absentFrom(request rs.Request) []rawjson.Value {
	if one, isOne := request.Sources.(rs.OneSource); isOne {
		return warningsOf(nil, r.ended([]string{one.Stream}), "")
	}
	return nil
}

// unanswerable refuses a request that does not tell which sources it is for.
func unanswerable(request rs.Request) *tool.Error {
	return &tool.Error{
		Code: tool.PackageUnsupported,
		Message: fmt.Sprintf("a package of grants cannot answer GET %s, since the request does not tell which of its sources it is for; "+
			"use a tool that takes stream or connection_id", request.Path),
	}
}

// Open begins to read the bytes of one source, which its Sources name. Its errors are those of Get.
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
	opener, reads := source.Reader.(rs.Opener)
	if !reads {
		return nil, unanswerable(request)
	}
	started := time.Now()
	download, err := opener.Open(ctx, request, from)
	r.observe(started, err)
	return download, r.elsewhere(source, request, err)
}

// refuseClaims returns an error if a record of a response claims to belong to another member's connection. The handle of such a
// record would lead to that member (R-PKG-2).
func (r *Reader) refuseClaims(ctx context.Context, source *Source, response *rs.Response) error {
	rows := []rawjson.Value{response.Body()}
	if list, err := response.List(); err == nil {
		rows = list.Rows
	}
	for _, row := range rows {
		if err := callEnded(ctx); err != nil {
			return err
		}
		if source.claims(row, r.connections) {
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

// answer is what a question led to.
type answer struct {
	response *rs.Response
	err      error
}

// ask sends the questions, several at once, and waits for all answers until the deadline. Waiting for a free slot counts against the deadline,
// so that the answer comes in time however many sources are slow. Its error says that the caller's context ended.
func (r *Reader) ask(ctx context.Context, questions []question, deadline time.Time) ([]answer, error) {
	answers := make([]answer, len(questions))
	var running errgroup.Group // each member ends with the context or its deadline, and none fails the others
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

// gather puts one request to each grant that these sources are of, and gives the frame of the merged answer and the warnings of
// what is missing in it. Take adds an answer; its error says that it is unusable. Without any answer the error is that of all.
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
			for _, source := range r.ofGrant(asked[i]) {
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
