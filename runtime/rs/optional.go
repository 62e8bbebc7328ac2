package rs

import (
	"errors"
	"net/http"
	"slices"
)

// withFewer runs a read, and again without an optional parameter when the server refuses one. Each parameter is left
// out once at most, so that this ends. A refusal that is about something else is final, and then the first one
// counts: it answers what the caller asked. What got no answer counts as it is.
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

// withoutRefused is the request without the optional parameter that a server does not take, or false when the
// refusal is about something else. A server that does not say which is thought to mean the first, which is the
// newest, and after that any of the others.
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
