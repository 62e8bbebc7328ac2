package rs

import (
	"errors"
	"net/http"
	"slices"
)

// withFewer runs a read, and repeats it without an optional parameter if the server refuses one. A refusal for another reason is
// final. It then returns the first refusal, which is about the caller's own request. A Failure is returned as it is.
func withFewer(asked Request, read func(Request) (*Response, error)) (*Response, error) {
	var first error
	for {
		response, err := read(asked)
		if err == nil {
			return response, nil
		}
		var refused *Error
		if !errors.As(err, &refused) {
			return nil, err
		}
		if first == nil {
			first = err
		}
		fewer, again := asked.withoutRefused(refused)
		if !again {
			return nil, first
		}
		asked = fewer
	}
}

// withoutRefused returns the request without the optional parameter that a server refused, or false if the refusal has another reason.
// If the server does not name it, the newest parameter is removed first, and then all others.
func (r Request) withoutRefused(refused *Error) (Request, bool) {
	sent := slices.DeleteFunc(slices.Clone(r.Optional), func(name string) bool {
		_, isSent := r.Query.Get(name)
		return !isSent
	})
	if len(sent) == 0 || refused.Status != http.StatusBadRequest || refused.Code != CodeInvalidRequest {
		return Request{}, false
	}
	left := sent
	switch param := refused.Param(); {
	case param != "":
		if !slices.Contains(sent, param) {
			return Request{}, false
		}
		left = []string{param}
	case sent[0] == r.Optional[0]:
		left = sent[:1]
	}
	r.Query = r.Query.Without(left...)
	return r, true
}
