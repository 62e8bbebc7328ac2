package auth

import (
	"net/url"
	"slices"
	"strings"
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

// canonical makes the spellings of one URL equal: case of scheme and host, the scheme's own port, and a
// slash at the end (RFC 3986, section 6.2). What is no URL stays as it is.
func canonical(audience string) string {
	parsed, err := url.Parse(audience)
	if err != nil || parsed.Scheme == "" || parsed.Host == "" {
		return audience
	}
	parsed.Scheme, parsed.Host = strings.ToLower(parsed.Scheme), strings.ToLower(parsed.Host)
	if port := parsed.Port(); parsed.Scheme == "http" && port == "80" || parsed.Scheme == "https" && port == "443" {
		parsed.Host = strings.TrimSuffix(parsed.Host, ":"+port)
	}
	if parsed.RawQuery == "" && parsed.Fragment == "" {
		return strings.TrimSuffix(parsed.String(), "/")
	}
	return parsed.String()
}
