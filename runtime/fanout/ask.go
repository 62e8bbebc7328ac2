package fanout

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// question is one request to one source, and when its answer is too late.
type question struct {
	source   *Source
	request  rs.Request
	deadline time.Time
}

// answer is what a question led to.
type answer struct {
	response *rs.Response
	err      error
}

// ask sends the questions, several at once, and waits for all answers. Waiting for a turn counts, so that the
// answer comes by the deadline however many sources are slow. The error is that of a caller who has gone away.
func (r *Reader) ask(ctx context.Context, questions []question) ([]answer, error) {
	answers := make([]answer, len(questions))
	slots := make(chan struct{}, r.options.Concurrency)
	var running sync.WaitGroup
	for i := range questions {
		slots <- struct{}{} // frees itself: whoever holds one ends with the context or its deadline
		running.Go(func() {
			defer func() { <-slots }()
			answers[i] = r.askOne(ctx, questions[i])
		})
	}
	running.Wait()
	if err := ctx.Err(); err != nil {
		return nil, &rs.Failure{
			Reason: rs.Timeout, Message: "the call ended before every source of the package had answered",
			NextStep: "ask for less, or try again", Cause: err,
		}
	}
	return answers, nil
}

func (r *Reader) askOne(ctx context.Context, q question) answer {
	started := time.Now()
	limited, cancel := context.WithDeadline(ctx, q.deadline)
	defer cancel()
	response, err := q.source.Reader.Get(limited, q.request)
	var refused *rs.Error
	if err != nil && errors.Is(limited.Err(), context.DeadlineExceeded) && !errors.As(err, &refused) {
		err = &rs.Failure{
			Reason:  rs.Timeout,
			Message: fmt.Sprintf("the source did not answer within %s", r.options.ChildTimeout),
			Cause:   err,
		}
	}
	r.observe(q.source, started, err)
	return answer{response: response, err: err}
}
