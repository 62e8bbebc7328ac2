package fanout

import (
	"errors"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Result is what became of a request to a source, as a metric's label.
type Result string

// The results.
const (
	Answered Result = "answered"
	Refused  Result = "refused"   // its resource server said no
	TimedOut Result = "timed_out" // no answer within its deadline
	Failed   Result = "failed"    // no usable answer for another reason
)

// Observation is one request to a source. It tells nothing of the caller's data.
type Observation struct {
	ConnectorKey string // empty when it is not published
	Result       Result
	Took         time.Duration
}

func (r *Reader) observe(source *Source, started time.Time, err error) {
	if r.options.Observe != nil {
		r.options.Observe(Observation{ConnectorKey: source.ConnectorKey, Result: resultOf(err), Took: time.Since(started)})
	}
}

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
