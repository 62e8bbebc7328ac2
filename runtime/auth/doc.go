// Package auth decides who may speak to the hosted server. It takes the bearer out of a request, asks the
// authorization server about it (RFC 7662), and says in HTTP's terms (RFC 6750, RFC 9728) why a request
// is refused. It knows nothing of MCP: a request that it refuses never gets that far (R-HOST-4).
//
// The order of use is Bearer, Verifier.Verify, and Challenge.Write for an error of either.
package auth
