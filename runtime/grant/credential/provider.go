package credential

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
)

const providerStep = "pass --provider-url or set PDPP_PROVIDER_URL"

// ParseProviderURL normalizes a provider URL: lower case scheme and host, no default port, no trailing slash. Its
// errors are of class Usage and do not repeat a value that may contain a password.
func ParseProviderURL(raw string) (string, error) {
	trimmed := strings.TrimSpace(raw)
	if trimmed == "" {
		return "", Misused("no provider URL", providerStep, nil)
	}
	parsed, err := address.ParseBase(trimmed)
	if err != nil {
		step := "pass one like https://pdpp.example"
		if corrected := addScheme(trimmed); errors.Is(err, address.NoHTTP) && corrected != "" {
			step = "pass " + corrected
		}
		return "", Misused("invalid provider URL: it "+err.Error(), step, nil)
	}
	return address.Canonical(parsed), nil
}

// addScheme returns the URL for a host with an optional port and path. It is empty for anything else, which may contain
// a password.
func addScheme(raw string) string {
	if strings.Contains(raw, "://") || strings.ContainsAny(raw, "@?#") {
		return ""
	}
	parsed, err := url.Parse("https://" + raw)
	if err != nil || parsed.Hostname() == "" || strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	if address.IsLoopback(parsed.Hostname()) {
		parsed.Scheme = "http"
	}
	return parsed.String()
}

// cacheKey returns host[:port] of a provider with an underscore for every character outside [A-Za-z0-9.-].
func cacheKey(provider string) string {
	_, rest, _ := strings.Cut(provider, "://")
	host, _, _ := strings.Cut(rest, "/")
	return nonKeyCharacters.ReplaceAllString(host, "_")
}

var nonKeyCharacters = regexp.MustCompile(`[^A-Za-z0-9.-]`)

// RefuseClearText returns an error of class Usage for plain http to another machine, which would send the token
// unencrypted. What names the URL in the message. An invalid URL is left to the caller.
func RefuseClearText(what, raw string) error {
	parsed, err := url.Parse(raw)
	if err != nil || !strings.EqualFold(parsed.Scheme, "http") || address.IsLoopback(parsed.Hostname()) {
		return nil
	}
	return Misused("the "+what+" is plain http to another machine, which would send the token unencrypted",
		"pass one that begins with https://, or --allow-plain-http in a private network", nil)
}
