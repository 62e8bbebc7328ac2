package host

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// MaxRequestBody bounds the body of a request, in bytes (interfaces.md, Hosted routes).
	MaxRequestBody = 256 << 10

	// bodiesMost bounds the bodies that are held at the same time, of all callers, in bytes (R-HOST-9).
	bodiesMost = 64 << 20

	// bodyWithin is how long a client may take to send a body, unless the options say otherwise.
	bodyWithin = 10 * time.Second
)

// limitReading gives the client so long for the body of its request. Package http ends the limit with the
// body, so that it does not bound the answer; where there is none, the limit would end the request. A writer
// that cannot tell its connection is one without a connection.
func limitReading(w http.ResponseWriter, r *http.Request, within time.Duration) {
	if r.Body == http.NoBody {
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(within))
}

// bodies bounds what is held of bodies in all: each of them counts from before it is read until its request is answered.
type bodies struct {
	room *semaphore.Weighted
}

func newBodies() *bodies { return &bodies{room: semaphore.NewWeighted(bodiesMost)} }

// read takes a whole body. A body of unknown length counts as the longest one until it is read. What it holds is free again
// when forget is called.
func (b *bodies) read(w http.ResponseWriter, r *http.Request) (body []byte, forget func(), refused *problem) {
	expected := r.ContentLength
	if expected < 0 {
		expected = MaxRequestBody
	}
	nothing := func() {}
	if expected > MaxRequestBody {
		return nil, nothing, tooLarge
	}
	if !b.room.TryAcquire(expected) {
		return nil, nothing, tooMany(fmt.Sprintf("This server reads %d bytes of requests at the same time. Send the request again.", bodiesMost), oneSecond)
	}
	forget = func() { b.room.Release(expected) }
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequestBody))
	var excess *http.MaxBytesError
	switch {
	case errors.As(err, &excess):
		return nil, forget, tooLarge
	case err != nil:
		return nil, forget, unreadable
	}
	if surplus := expected - int64(len(body)); surplus > 0 {
		b.room.Release(surplus)
		expected -= surplus
	}
	return body, forget, nil
}
