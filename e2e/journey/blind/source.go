package blind

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Topic is the subject of a question in a person's words: a stream, and the account if there may be several, such as
// messages of "Personal Gmail".
type Topic struct {
	Stream string
	Label  string // empty: whichever has the stream
}

var errNoSuchSource = errors.New("no source has this stream and label")

// Source finds the topic in the index of schema.
func (r *Reader) Source(ctx context.Context, topic Topic) (Source, error) {
	sources, err := r.Index(ctx)
	if err != nil {
		return Source{}, err
	}
	for _, source := range sources {
		if source.Stream == topic.Stream && (topic.Label == "" || strings.EqualFold(source.Label, topic.Label)) {
			return source, nil
		}
	}
	return Source{}, fmt.Errorf("%w: %s of %q among %v", errNoSuchSource, topic.Stream, topic.Label, sources)
}

// Choose makes a call that is expected to be refused because several sources could answer, and makes it
// again with each connection that the refusal offers, under the name that it says. The answers are given
// as they were seen, by connection.
func (r *Reader) Choose(ctx context.Context, tool string,
	arguments map[string]any,
) (Refusal, map[string]string, error) {
	call := Arguments(arguments).call(tool)
	seen := r.sight(ctx, call.Tool, call.Arguments)
	refusal, refused := r.channel.Refusal(seen)
	if !refused {
		return Refusal{}, nil, puzzled(call, seen, "refusal", nil)
	}
	if refusal.RetryWith == "" || len(refusal.Connections) == 0 {
		return refusal, nil, puzzled(call, seen, "connections to retry with", nil)
	}
	answers := map[string]string{}
	for _, choice := range refusal.Connections {
		connection := choice.ConnectionID
		call := Arguments(arguments).With(refusal.RetryWith, connection).call(tool)
		answers[connection] = r.sight(ctx, call.Tool, call.Arguments)
		if second, refused := r.channel.Refusal(answers[connection]); refused {
			return refusal, answers, &RefusedError{Call: call, Refusal: second}
		}
	}
	return refusal, answers, nil
}

// Document reads what was seen of a fetch.
func (r *Reader) Document(seen string) (Document, error) { return r.channel.Document(seen) }

// Window reads what was seen of a read_record_field.
func (r *Reader) Window(seen string) (Window, error) { return r.channel.Window(seen) }
