package rs

import "encoding/json"

// Response is a successful answer of the RS.
type Response struct {
	Status    int
	Body      json.RawMessage // valid JSON and valid UTF-8, as the RS sent it; nil when a change was answered without one
	RequestID string          // the RS's Request-Id (or X-Request-Id); empty when it sent none
	URL       string          // absolute URL that was read; never holds a bearer
	Request   Request         // what was asked, to ask it again in another way; never holds a bearer
}
