package credential

import (
	"net"
	"net/url"
	"strings"
)

// ParseProviderURL gives a provider URL in one spelling: scheme and host[:port] in lower case, without
// the scheme's default port, and without a trailing slash. Its errors are of class Usage and do not
// repeat the value when it holds a user name or a password.
func ParseProviderURL(raw string) (string, error) {
	trimmed := strings.TrimSpace(raw)
	if trimmed == "" {
		return "", &Error{
			Class:    Usage,
			Message:  "no provider URL",
			NextStep: "pass --provider-url or set PDPP_PROVIDER_URL",
		}
	}
	parsed, err := url.Parse(trimmed)
	if err != nil {
		return "", invalidProviderURL("it is not a URL")
	}
	scheme := strings.ToLower(parsed.Scheme)
	switch {
	case scheme != "http" && scheme != "https":
		refused := invalidProviderURL("it must begin with http:// or https://")
		if meant := withScheme(trimmed); meant != "" {
			refused.NextStep = "pass " + meant
		}
		return "", refused
	case parsed.Hostname() == "":
		return "", invalidProviderURL("it names no host")
	case parsed.User != nil:
		return "", invalidProviderURL("it must not hold a user name or a password")
	case parsed.RawQuery != "" || parsed.Fragment != "":
		return "", invalidProviderURL("it must not hold a query or a fragment")
	}
	return scheme + "://" + hostAndPort(scheme, parsed) + strings.TrimRight(parsed.EscapedPath(), "/"), nil
}

func hostAndPort(scheme string, parsed *url.URL) string {
	host, port := strings.ToLower(parsed.Hostname()), parsed.Port()
	if port == "" || scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		if strings.Contains(host, ":") { // an IPv6 address keeps its brackets
			return "[" + host + "]"
		}
		return host
	}
	return net.JoinHostPort(host, port)
}

// withScheme is the URL that a host with or without a port and a path was probably meant for; empty for anything else,
// of which a part may be a password.
func withScheme(address string) string {
	if strings.Contains(address, "://") || strings.ContainsAny(address, "@?#") {
		return ""
	}
	meant, err := url.Parse("https://" + address)
	if err != nil || meant.Hostname() == "" || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	if Loopback(meant.Hostname()) {
		meant.Scheme = "http"
	}
	return meant.String()
}

func invalidProviderURL(reason string) *Error {
	return &Error{
		Class:    Usage,
		Message:  "the provider URL cannot be used: " + reason,
		NextStep: "pass one like https://pdpp.example",
	}
}

// cacheKey is the file name of a provider without its extension: host[:port] with every character
// outside [A-Za-z0-9.-] replaced by an underscore. The path has no part in it.
func cacheKey(provider string) string {
	_, rest, _ := strings.Cut(provider, "://")
	host, _, _ := strings.Cut(rest, "/")
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '-':
			return r
		}
		return '_'
	}, host)
}
