package rs

import (
	"context"
	"time"
)

// Sent is one request that a Client sent, and what became of it. It tells nothing of the request's values, its bearer or its answer.
type Sent struct {
	Template string        // of its Route
	Status   int           // 0 when no answer came
	Took     time.Duration // from sending to the end of the answer's body
	Bytes    int64         // of the body, after decompression; 0 for one that was not read
	Try      int           // of the read that it belongs to: from 1 to MaxTries
}

// Observer is told of requests when they have ended. It is called concurrently, and must not block.
type Observer interface{ Sent(sent Sent) }

type observerKey struct{}

// ObservedBy is a context of whose requests an observer is told.
func ObservedBy(ctx context.Context, observer Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, observer)
}

// ObserverOf gives the observer of a context; nil when it has none.
func ObserverOf(ctx context.Context) Observer {
	observer, _ := ctx.Value(observerKey{}).(Observer)
	return observer
}
