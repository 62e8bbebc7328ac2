// Package answer holds what a call found, before it is rendered: rows, hits, groups, a window, a document or an index.
// An answer has everything that a result shows. It holds no reader and no context, and its records keep their bytes.
package answer

// Answer is the result of one call: one of *Window, *Document and the other kinds of this package.
type Answer interface {
	From() Origin
}

// Origin says where an answer came from.
type Origin struct {
	ProviderURL string // the provider's public origin, without a trailing slash
	URL         string // what was read, at the provider's public origin; never holds a bearer
	RequestID   string // the resource server's; may be empty
	Status      int    // the HTTP status of the response; 0: there was none
}

// From returns the origin.
func (o Origin) From() Origin { return o }

// TooLargeError is an answer with handles or members that no result can hold.
type TooLargeError struct {
	Origin
	Message  string
	NextStep string
}

func (e *TooLargeError) Error() string { return e.Message + "; " + e.NextStep }
