package rs

import (
	"context"
	"strings"
	"time"
)

// Sent is one request that a Client sent, and what became of it. It tells nothing of the request's values, its bearer or its answer.
type Sent struct {
	Template string        // of Path.Template
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

// templates are the paths that are read (rs-contract.md). A word in braces stands for any segment.
var templates = [...]string{
	"/v1/streams/{stream}/records",
	"/v1/schema",
	"/v1/search",
	"/v1/streams/{stream}/records/{id}",
	"/v1/streams/{stream}/records/{id}/field-window",
	"/v1/streams/{stream}/aggregate",
	"/v1/search/semantic",
	"/v1/search/hybrid",
	"/v1/streams",
	"/v1/blobs/{id}",
}

// Template is the path without what a caller chose, such as /v1/streams/{stream}/records/{id}; other when it is no path that is
// read. It allocates nothing.
func (p Path) Template() string {
	for _, template := range templates {
		if isOf(template, string(p)) {
			return template
		}
	}
	return "other"
}

// isOf compares word by word. Words have their places: a name that is spelled like one of them is none.
func isOf(template, path string) bool {
	template, path = template[1:], strings.TrimPrefix(path, "/")
	for template != "" && path != "" {
		var word, segment string
		word, template, _ = strings.Cut(template, "/")
		segment, path, _ = strings.Cut(path, "/")
		if word != segment && !strings.HasPrefix(word, "{") {
			return false
		}
	}
	return template == path
}
