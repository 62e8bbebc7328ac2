package readon

import (
	"context"
	"runtime"
	"strconv"
	"sync/atomic"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// guessesMost bounds the pages that are asked for by guess and not taken yet, and so the memory that they need.
const guessesMost = 2

// fetch is a page that was asked for.
type fetch struct {
	request rs.Request
	left    int // records that may be asked for behind this page, when it is full
	stop    context.CancelFunc
	done    chan struct{} // closed when the rest is set

	response *rs.Response
	err      error
	guess    *fetch // the page behind it, asked for by what its body seemed to say before it was checked; nil: not asked for
}

// await is the next page, which may have been asked for already.
func (l *list) await() (*rs.Response, error) {
	if l.ahead != nil && l.ahead.request.Limit() > l.left { // another connection was read since
		l.forget()
	}
	if l.ahead == nil {
		l.ask()
	}
	came := l.ahead
	<-came.done
	l.ahead, l.guess = nil, came.guess
	came.stop()
	return came.response, came.err
}

// ask asks for the next page, unless a guess has done so. A guess that was wrong is the last one.
func (l *list) ask() {
	request := l.asked()
	if guess := l.guess; guess != nil {
		l.guess = nil
		if guess.request.Path == request.Path && guess.request.Query.Encoded() == request.Query.Encoded() {
			l.guesses.Add(-1)
			l.ahead = guess
			return
		}
		l.misled.Store(true) // before there is room for another guess
		l.guesses.Add(-1)
		guess.drop()
	}
	follows := l.toEnd && (l.whole == 0 || l.pages+1 > l.whole) // as far as can be told, the one behind is read in the same way
	l.ahead = l.start(request, l.left-request.Limit(), follows)
}

// start asks for a page. When pages follow that will be read, the next one is asked for as soon as the body has come, while
// it is checked.
func (l *list) start(request rs.Request, left int, follows bool) *fetch {
	ctx, stop := context.WithCancel(l.ctx)
	f := &fetch{request: request, left: left, stop: stop, done: make(chan struct{})}
	if follows && left > 0 {
		request.Ahead = func(cursor string) { f.guess = l.follow(f, cursor) }
	}
	go func() {
		defer close(f.done)
		f.response, f.err = l.env.RS.Get(ctx, request)
	}()
	return f
}

// follow asks for the page behind another one at what seems to be its cursor. It is nil when that would be too much.
func (l *list) follow(before *fetch, cursor string) *fetch {
	if l.misled.Load() {
		return nil
	}
	if l.guesses.Add(1) > guessesMost {
		l.guesses.Add(-1)
		return nil
	}
	request := before.request
	limit := min(before.left, rs.MostRows)
	request.Query = request.Query.With(limitName, strconv.Itoa(limit)).Without(feedName).With(cursorName, cursor)
	guess := l.start(request, before.left-limit, true)
	runtime.Gosched() // the request goes out first: with no processor free, it would wait until the page before is checked
	return guess
}

// drop ends a fetch that is not needed, and waits for its end.
func (f *fetch) drop() {
	for ; f != nil; f = f.guess {
		f.stop()
		<-f.done
	}
}

// forget drops what was asked for in vain, and waits for its end, so that nothing of the call outlives it.
func (l *list) forget() {
	l.ahead.drop()
	if l.guess.drop(); l.ahead != nil || l.guess != nil {
		l.guesses.Store(0)
	}
	l.ahead, l.guess = nil, nil
}

// guessing counts the guesses of a list.
type guessing struct {
	guesses atomic.Int32 // that are not taken yet
	misled  atomic.Bool  // one was wrong
}
