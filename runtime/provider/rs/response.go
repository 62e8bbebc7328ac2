package rs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Response is a successful response of the RS. It is not safe for concurrent use.
type Response struct {
	Status    int
	RequestID string // the RS's Request-Id (or X-Request-Id); may be empty
	URL       string // absolute URL at the provider's public origin, even if the RS has another address; never holds a bearer
	// ProviderURL is the provider's public origin, without a trailing slash, if the reader has several sources.
	// Otherwise it is empty, and the reader's ProviderURL holds.
	ProviderURL string

	// GrantIDs are the grants that answered, for a reader that can have several; otherwise nil.
	GrantIDs []string

	Request Request // what was requested; never holds a bearer
	IsKept  bool    // it was the response to an earlier request, and nothing was sent

	allowance *allowance // of the call; nil: unbounded
	counted   int64      // bytes of the body that count for it

	body    json.RawMessage
	compact rawjson.Value // the body without the whitespace between its tokens
	list    *List         // all rows of the body; nil before the first call of List
}

// Body returns a JSON object in valid UTF-8, as the RS sent it, but a large one without whitespace between its tokens.
// Names are unique in their object, and values nest up to 512 levels. It is nil for a change that was answered without a
// body, and for a large one after Release. The caller must not write to it.
func (r *Response) Body() json.RawMessage { return r.body }

// WithBody returns the response with another body, which it does not copy. An invalid body is a *Failure (R-ERR-4).
func (r Response) WithBody(body []byte) (*Response, error) {
	var problem string
	if r.compact, problem = readObject(context.Background(), body); problem != "" {
		return nil, r.Unusable("the resource server's answer "+problem, checkProvider)
	}
	r.body, r.list = body, nil
	return &r, nil
}

// Release says that the call no longer uses the body, so that another one may take its memory. Rows that are kept must
// be copied first. A large body is gone from the response. It does nothing for nil.
func (r *Response) Release() {
	if r != nil && r.counted > 0 {
		r.body, r.compact, r.list = nil, nil, nil
		r.allowance.giveBack(r.counted, false)
		r.counted = 0
	}
}

const maxDepth = 512 // nesting; clients fail from about a thousand

// readObject reads a body. Problem says why it is not a JSON object that every reader understands in the same way.
func readObject(ctx context.Context, body []byte) (compact rawjson.Value, problem string) {
	compact, err := rawjson.Unambiguous(ctx, body, maxDepth)
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
		return compact, fmt.Sprintf("is nested deeper than %d levels", maxDepth)
	case err != nil && !utf8.Valid(body):
		return compact, "is not valid UTF-8"
	case err != nil:
		return compact, "is not JSON"
	case compact[0] != '{':
		return compact, "is JSON, but not an object"
	}
	return compact, ""
}

// Unusable returns a *Failure of reason InvalidResponse: the shape of the response is wrong (R-ERR-4). The next step
// may be empty.
func (r *Response) Unusable(message, nextStep string) *Failure {
	return &Failure{
		Reason: InvalidResponse, Message: message, NextStep: nextStep,
		Status: r.Status, RequestID: r.RequestID, URL: r.URL,
	}
}

// Object returns the members of the body, which share its memory. A response without a body is a *Failure.
func (r *Response) Object() (rawjson.Object, error) {
	body, ok := rawjson.ParseObject(r.compact)
	if !ok {
		return nil, r.Unusable("the resource server's answer has no body", "")
	}
	return body, nil
}

// Compact returns the body without the whitespace between its tokens, or nil. The caller must not write to it.
func (r *Response) Compact() json.RawMessage { return r.compact }

// Cursor returns a cursor at the start of the body.
func (r *Response) Cursor() rawjson.Cursor { return rawjson.NewCursor(r.compact) }
