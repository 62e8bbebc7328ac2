package flow

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// scriptSchemes run in the page that follows them.
var scriptSchemes = []string{"javascript", "data", "vbscript", "blob", "file", "about"}

// plainHost matches hosts that need no escaping in a Content-Security-Policy.
var plainHost = regexp.MustCompile(`^[A-Za-z0-9._:\[\]-]*$`)

// checkRedirectURI refuses redirect URIs that are never legitimate. The library checks the rest.
func checkRedirectURI(raw string) error {
	parsed, err := url.Parse(raw)
	switch {
	case err != nil || parsed.Scheme == "":
		return fmt.Errorf("redirect_uris: %q is not an absolute URI", raw)
	case slices.Contains(scriptSchemes, parsed.Scheme):
		return fmt.Errorf("redirect_uris: the scheme %s is not allowed; use https, or http on a loopback address",
			parsed.Scheme)
	case !plainHost.MatchString(parsed.Host):
		return fmt.Errorf("redirect_uris: the host of %q has characters that no host name has", raw)
	case parsed.Fragment != "":
		return fmt.Errorf("redirect_uris: %q has a fragment; leave it out", raw)
	}
	return nil
}

// isPrivateUse reports whether a redirect has an application's private-use scheme (RFC 8252, section 7.1).
// Applications use schemes without the dot that the library requires.
func isPrivateUse(raw string) bool {
	scheme, _, _ := strings.Cut(raw, ":")
	return !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https")
}

// withoutLoopbackPort removes the port of a loopback redirect. It returns false for any other URI.
func withoutLoopbackPort(raw string) (string, bool) {
	parsed, err := url.Parse(raw)
	if err != nil || parsed.Scheme != "http" {
		return "", false
	}
	host := parsed.Hostname()
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", false
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	parsed.Host = host
	return parsed.String(), true
}

// formTarget returns the origin that a page's form may lead to, besides the page's: browsers apply the page's
// policy also to the redirect after a form.
func formTarget(redirectURI string) string {
	parsed, err := url.Parse(redirectURI)
	switch {
	case err != nil || redirectURI == "" || !plainHost.MatchString(parsed.Host):
		return ""
	case isPrivateUse(redirectURI):
		return parsed.Scheme + ":"
	}
	return parsed.Scheme + "://" + parsed.Host
}
