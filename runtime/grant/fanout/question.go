package fanout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// maxConcurrency limits the sources that one call reads at the same time.
const maxConcurrency = 24

// question is one request to one source, with its answer.
type question struct {
	source   *Source
	request  rs.Request
	response *rs.Response
	err      error
}

// ask sends the questions concurrently and waits for all answers until the deadline. Waiting for a free slot counts
// against the deadline. It returns an error if the call has ended.
func (r *Reader) ask(ctx context.Context, questions []*question, deadline time.Time) error {
	limited, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	var running errgroup.Group // a failed request does not cancel the others
	running.SetLimit(maxConcurrency)
	for _, q := range questions {
		running.Go(func() error {
			started := time.Now()
			q.response, q.err = q.source.Reader.Get(limited, q.request)
			_, isRefused := errors.AsType[*rs.Error](q.err)
			if q.err != nil && !isRefused && errors.Is(limited.Err(), context.DeadlineExceeded) {
				message := fmt.Sprintf("the source did not answer within %s", r.options.ChildTimeout)
				q.err = &rs.Failure{Reason: rs.Timeout, Message: message, Cause: q.err}
			}
			r.observe(started, q.err)
			return nil
		})
	}
	_ = running.Wait()
	return callEnded(ctx)
}

// callEnded returns an error if the context of a call has ended. Every loop over the rows of a source checks it
// (R-ERR-9).
func callEnded(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &rs.Failure{
			Reason: rs.Timeout, Message: "the call ended before every granted source had answered",
			NextStep: "ask for less, or try again", Cause: err,
		}
	}
	return nil
}

// gathered is what the answers of several grants have in common.
type gathered struct {
	answer.Origin
	grants   []string        // that answered
	warnings []rawjson.Value // about missing sources
}

// gather sends one request to each grant that may have one of the streams. It passes each answer to take, which returns
// an error for an unusable one. Its error says why no source answered, or that the call ended.
func (r *Reader) gather(
	ctx context.Context, request rs.Request, streams []string, take func(*Source, *rs.Response) error,
) (merged gathered, err error) {
	if len(r.active) == 0 {
		return merged, r.revoked()
	}
	var questions []*question
	for _, source := range oneOfEach(r.granting(streams)) {
		questions = append(questions, &question{source: source, request: request})
	}
	if err := r.ask(ctx, questions, time.Now().Add(r.options.ChildTimeout)); err != nil {
		return merged, err
	}
	merged.Status, merged.URL = http.StatusOK, r.url(request)
	var missing []absence
	for _, q := range questions {
		if q.err == nil {
			q.err = take(q.source, q.response)
		}
		if err := callEnded(ctx); err != nil {
			return merged, err
		}
		if q.err != nil {
			for _, source := range keep(r.active, q.source.sharesWith) {
				missing = append(missing, absence{source: source, err: q.err})
			}
			continue
		}
		merged.grants = q.source.addTo(merged.grants)
		merged.RequestID = cmp.Or(merged.RequestID, q.response.RequestID)
	}
	missing = append(missing, r.ended(streams)...)
	if len(questions) > 0 && merged.grants == nil {
		return merged, failed(missing, merged.URL)
	}
	merged.warnings = report(ctx, missing)
	return merged, nil
}

// url returns the URL of a merged answer, or nothing if there are several providers.
func (r *Reader) url(request rs.Request) string {
	if r.options.ProviderURL == "" {
		return ""
	}
	url := r.options.ProviderURL + string(request.Path)
	if query := request.Query.Encoded(); query != "" {
		url += "?" + query
	}
	return url
}
