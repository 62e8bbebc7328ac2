package auth

import (
	"net/url"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
)

// audiences are the values of aud that are accepted, in the spelling that canonical gives.
type audiences []string

func newAudiences(accepted []string) audiences {
	known := make(audiences, len(accepted))
	for i, audience := range accepted {
		known[i] = canonical(audience)
	}
	return known
}

// admit tells whether one of the reported audiences is accepted (R-HOST-10).
func (a audiences) admit(reported []string) bool {
	return slices.ContainsFunc(reported, func(audience string) bool { return slices.Contains(a, canonical(audience)) })
}

// canonical makes the spellings of one URL equal. What is no URL stays as it is.
func canonical(audience string) string {
	parsed, err := url.Parse(audience)
	if err != nil || parsed.Scheme == "" || parsed.Host == "" {
		return audience
	}
	return address.Canonical(parsed)
}
