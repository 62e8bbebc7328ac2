package rs

import "encoding/json"

// Response is a successful answer of the RS.
type Response struct {
	Status    int
	Body      json.RawMessage // a JSON object in valid UTF-8, as the RS sent it: no name twice in one object, at most 512 levels; nil when a change was answered without one
	RequestID string          // the RS's Request-Id (or X-Request-Id); empty when it sent none
	URL       string          // absolute URL at the provider's public origin, also when it was read elsewhere; never holds a bearer
	Request   Request         // what was asked, to ask it again in another way; never holds a bearer

	// Seen is how many rows at the beginning of the list the caller has already, which List leaves out.
	Seen int

	// most is how many rows of the list were asked for, where the RS was asked for more; zero: all. List leaves the
	// others out.
	most int

	// compact is the body as it came from the RS, checked and without whitespace, so that Object need not check it
	// again; nil from another reader.
	compact json.RawMessage
}

// isChecked tells whether the body is the one that was checked, and not another that was put in its place.
func (r *Response) isChecked() bool {
	return len(r.Body) > 0 && len(r.Body) == len(r.compact) && &r.Body[0] == &r.compact[0]
}
