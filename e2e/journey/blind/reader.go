// Package blind acts as a model that a host shows only one part of a tool result: the text, or structured output
// (R-BUD-1). A Reader is given strings and nothing else, so that it can learn of the data only what a result says. It
// knows the names and arguments of the tools, which every host shows, and the forms that docs/interfaces.md promises:
// key=value tokens, next calls, and the members of structured output. It is deterministic and gives up rather than
// guess if a result does not say how to continue.
package blind

import (
	"context"
	"encoding/json"
	"fmt"
)

// Sight calls a tool with a JSON object of arguments, and returns the part of the result that a model sees.
type Sight func(ctx context.Context, tool, arguments string) string

// Call is a tool and the arguments to pass to it, one JSON object.
type Call struct {
	Tool      string
	Arguments string
}

// Reader walks from result to result. It is not safe for concurrent use.
type Reader struct {
	sight   Sight
	channel Channel
}

// NewReader makes a reader that sees through sight what channel can read.
func NewReader(sight Sight, channel Channel) *Reader { return &Reader{sight: sight, channel: channel} }

// PuzzledError says that a result does not hold what the next step needs.
type PuzzledError struct {
	Call    Call
	Missing string
	Seen    string // the beginning of the result
	Cause   error  // may be nil
}

func (e *PuzzledError) Error() string {
	return fmt.Sprintf("%s %s shows no %s:\n%s", e.Call.Tool, e.Call.Arguments, e.Missing, e.Seen)
}

// Unwrap returns the cause.
func (e *PuzzledError) Unwrap() error { return e.Cause }

// seenCharacters is the number of characters of a result that an error repeats.
const seenCharacters = 1_200

func puzzled(call Call, seen, missing string, cause error) error {
	if runes := []rune(seen); len(runes) > seenCharacters {
		seen = string(runes[:seenCharacters]) + "…"
	}
	if cause != nil {
		missing = fmt.Sprintf("%s (%v)", missing, cause)
	}
	return &PuzzledError{Call: call, Missing: missing, Seen: seen, Cause: cause}
}

// look makes a call and reads what is seen of its result.
func look[T any](ctx context.Context, r *Reader, call Call, read func(seen string) (T, error)) (T, error) {
	seen := r.sight(ctx, call.Tool, call.Arguments)
	if refusal, refused := r.channel.Refusal(seen); refused {
		var nothing T
		return nothing, &RefusedError{Call: call, Refusal: refusal}
	}
	found, err := read(seen)
	if err != nil {
		return found, puzzled(call, seen, "what was asked for", err)
	}
	return found, nil
}

// RefusedError says that a call ended in an error object.
type RefusedError struct {
	Call Call
	Refusal
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s %s was refused: %s: %s", e.Call.Tool, e.Call.Arguments, e.Code, e.Message)
}

// Arguments are those of a call, by name. json.Marshal sorts them, so that the same question is the same text.
type Arguments map[string]any

func (a Arguments) call(tool string) Call {
	encoded, err := json.Marshal(a)
	if err != nil { // only for values that are not JSON, which no caller passes
		panic(err)
	}
	return Call{Tool: tool, Arguments: string(encoded)}
}

// With returns a copy with one more member.
func (a Arguments) With(name string, value any) Arguments {
	more := Arguments{name: value}
	for each, kept := range a {
		if each != name {
			more[each] = kept
		}
	}
	return more
}
