package rs

import (
	"context"
	"time"
)

// Sent is one request of a Client and its outcome. It has no values of the request, no bearer and no content.
type Sent struct {
	Template string        // of its Route
	Status   int           // 0 without a response
	Took     time.Duration // from sending to the end of the response's body
	Bytes    int64         // of the body, after decompression; 0 if it was not read
	Try      int           // of its read, from 1 to MaxTries
}

// Observer receives requests that have ended. It is called concurrently and must not block.
type Observer interface{ Sent(sent Sent) }

type observerKey struct{}

// ObservedBy returns a context whose requests an observer receives.
func ObservedBy(ctx context.Context, observer Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, observer)
}

// ObserverOf returns the observer of a context, or nil.
func ObserverOf(ctx context.Context) Observer {
	observer, _ := ctx.Value(observerKey{}).(Observer)
	return observer
}
