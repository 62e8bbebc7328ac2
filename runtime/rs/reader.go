// Package rs is the client of a PDPP resource server (RS): paths, queries, filters, responses and
// errors. It knows nothing of MCP, and it leaves records as the bytes that the RS sent.
package rs

import "context"

// Reader reads from a resource server with one bearer. Implementations are safe for concurrent use.
type Reader interface {
	// Get sends one GET. A response outside 2xx is an *Error that keeps the envelope; a response
	// that cannot be used at all is a *Failure. Both know the request id when there was one.
	Get(ctx context.Context, request Request) (*Response, error)

	// ProviderURL is the provider's public origin, without a trailing slash. Record URLs are built on it.
	ProviderURL() string
}
