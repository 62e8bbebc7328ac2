package credential

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
)

// nameProvider is the next step where no provider is named.
const nameProvider = "pass --provider-url or set PDPP_PROVIDER_URL"

// ParseProviderURL gives a provider URL in one spelling: scheme and host[:port] in lower case, without
// the scheme's default port, and without a trailing slash. Its errors are of class Usage and do not
// repeat the value when it holds a user name or a password.
func ParseProviderURL(raw string) (string, error) {
	trimmed := strings.TrimSpace(raw)
	if trimmed == "" {
		return "", &Error{
			Class:    Usage,
			Message:  "no provider URL",
			NextStep: nameProvider,
		}
	}
	parsed, err := address.ParseBase(trimmed)
	if err != nil {
		refused := &Error{
			Class: Usage, Message: "the provider URL cannot be used: it " + err.Error(), NextStep: "pass one like https://pdpp.example",
		}
		if meant := withScheme(trimmed); errors.Is(err, address.NoHTTP) && meant != "" {
			refused.NextStep = "pass " + meant
		}
		return "", refused
	}
	return address.Canonical(parsed), nil
}

// withScheme is the URL that a host with or without a port and a path was probably meant for; empty for anything else,
// of which a part may be a password.
func withScheme(raw string) string {
	if strings.Contains(raw, "://") || strings.ContainsAny(raw, "@?#") {
		return ""
	}
	meant, err := url.Parse("https://" + raw)
	if err != nil || meant.Hostname() == "" || strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	if address.IsLoopback(meant.Hostname()) {
		meant.Scheme = "http"
	}
	return meant.String()
}

// cacheKey is the file name of a provider without its extension: host[:port] with every character
// outside [A-Za-z0-9.-] replaced by an underscore. The path has no part in it.
func cacheKey(provider string) string {
	_, rest, _ := strings.Cut(provider, "://")
	host, _, _ := strings.Cut(rest, "/")
	return notOfKey.ReplaceAllString(host, "_")
}

var notOfKey = regexp.MustCompile(`[^A-Za-z0-9.-]`)
