package readon

import (
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// fetch is a page that was requested, maybe before it is needed.
type fetch struct {
	request rs.Request
	stop    context.CancelFunc
	done    chan struct{} // closed when the rest is set

	response *rs.Response
	err      error
}

// await returns the next page, which may have been requested already.
func (l *list) await() (*rs.Response, error) {
	if l.ahead != nil && l.ahead.request.Limit() > l.left { // another connection was read since
		l.forget()
	}
	if l.ahead == nil {
		l.ask()
	}
	next := l.ahead
	<-next.done
	l.ahead = nil
	next.stop()
	return next.response, next.err
}

// ask requests the next page.
func (l *list) ask() {
	ctx, stop := context.WithCancel(l.ctx)
	f := &fetch{request: l.asked(), stop: stop, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		f.response, f.err = l.env.RS.Get(ctx, f.request)
	}()
	l.ahead = f
}

// forget ends a request that is not needed, and waits for its end, so that no request outlives the call.
func (l *list) forget() {
	if l.ahead != nil {
		l.ahead.stop()
		<-l.ahead.done
		l.ahead = nil
	}
}
