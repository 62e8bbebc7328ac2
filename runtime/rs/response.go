package rs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Response is a successful answer of the RS. WithBody gives it its body. It is for one goroutine at a time.
type Response struct {
	Status    int
	RequestID string // the RS's Request-Id (or X-Request-Id); empty when it sent none
	URL       string // absolute URL at the provider's public origin, also when it was read elsewhere; never holds a bearer
	// ProviderURL is the provider's public origin, without a trailing slash, of an answer that one of several sources gave;
	// else empty, and the reader's.
	ProviderURL string

	// GrantIDs are the grants whose answers these are, of a reader that has several or may come to have; else nil.
	GrantIDs []string

	Request Request // what was asked, to ask it again in another way; never holds a bearer

	// Absent are warnings of sources that might have had a part in the answer and cannot be read; none of a single source.
	Absent []rawjson.Value

	// Missing are the sources of a merged answer that were asked and did not answer; none of a single source.
	Missing []Missing

	Reading *Reading // nil: the resource server gave the answer, not the adapter

	// Seen is how many rows at the beginning of the list the caller has already, which List leaves out.
	Seen int

	// most is how many rows of the list were asked for, where the RS was asked for more; zero: all. List leaves the
	// others out.
	most int

	// rowsMax is how many rows of a list the resource server may send for each connection; zero: any number, of a body that is made here.
	rowsMax int

	body    json.RawMessage
	compact rawjson.Value // the body without the whitespace between its tokens
	list    *List         // all rows of the body, which several readers look at; nil: not taken apart yet
}

// Missing is a source of a merged answer that was asked for its part and gave none.
type Missing struct {
	Origin string // public origin of its provider
	Err    error
}

// Body is a JSON object in valid UTF-8, as the RS sent it: no name stands twice in one object, and at most 512 objects
// and arrays stand in each other. It is nil when a change was answered without one. It is not to be written to.
func (r *Response) Body() json.RawMessage { return r.body }

// WithBody is the answer with a body, or with another one. The body is checked here, once for all who read it: one that
// is not what Body promises is a *Failure of reason InvalidResponse (R-ERR-4). It is not copied.
func (r Response) WithBody(body []byte) (*Response, error) {
	var problem string
	if r.compact, problem = readObject(context.Background(), body); problem != "" {
		return nil, r.Unusable("the resource server's answer "+problem, checkProvider)
	}
	r.body, r.list, r.rowsMax = body, nil, 0
	return &r, nil
}

// WithMembers is the answer with a body that is made here, of values that were checked or that package rawjson wrote. No
// name may stand twice among the members.
func (r Response) WithMembers(body rawjson.Object) *Response {
	r.body, r.list, r.rowsMax = body.Encode(), nil, 0
	r.compact = r.body
	return &r
}

// deepest is how many arrays and objects may stand in each other. The package json of this adapter takes ten thousand;
// clients fail from about a thousand on, and no record comes near.
const deepest = 512

// readObject reads a body. Problem says why the body is not a JSON object that all readers take alike; empty: it is one.
func readObject(ctx context.Context, body []byte) (compact rawjson.Value, problem string) {
	compact, err := rawjson.Unambiguous(ctx, body, deepest)
	switch {
	case len(bytes.TrimLeft(body, " \t\r\n")) == 0:
		return compact, "has no body"
	case errors.Is(err, rawjson.ErrRepeatedName):
		return compact, "names a member twice in one object"
	case errors.Is(err, rawjson.ErrInvalidName):
		return compact, "has a member name with an unpaired surrogate"
	case errors.Is(err, rawjson.ErrTooManyMembers):
		return compact, fmt.Sprintf("has more than %d members in one object", rawjson.MaxMembers)
	case errors.Is(err, rawjson.ErrTooDeep):
		return compact, fmt.Sprintf("is nested deeper than %d levels", deepest)
	case err != nil && !utf8.Valid(body):
		return compact, "is not valid UTF-8"
	case err != nil:
		return compact, "is not JSON"
	case compact[0] != '{':
		return compact, "is JSON, but not an object"
	}
	return compact, ""
}

// Unusable is a *Failure of reason InvalidResponse: the answer's shape does not fit (R-ERR-4). The next step may be empty.
func (r *Response) Unusable(message, nextStep string) *Failure {
	return &Failure{
		Reason: InvalidResponse, Message: message, NextStep: nextStep,
		Status: r.Status, RequestID: r.RequestID, URL: r.URL,
	}
}

// Object takes the body apart, one level deep, its values without whitespace between tokens. An answer without a body
// is a *Failure. The values share memory with the body.
func (r *Response) Object() (rawjson.Object, error) {
	body, ok := rawjson.ParseObject(r.compact)
	if !ok {
		return nil, r.Unusable("the resource server's answer has no body", "")
	}
	return body, nil
}

// Compact is the body without the whitespace between its tokens; nil when there is none. It is not to be written to.
func (r *Response) Compact() json.RawMessage { return r.compact }

// Cursor stands before the body; before nothing when there is none.
func (r *Response) Cursor() rawjson.Cursor { return rawjson.NewCursor(r.compact) }
