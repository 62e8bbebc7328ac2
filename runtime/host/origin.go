package host

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

var errNoHost = errors.New("no host")

// origins finds the origin that the client of a request sees (R-HOST-3). It never changes.
type origins struct {
	public  string // configured; empty when it depends on the request
	listen  string // for a request that no trusted proxy forwarded
	trusted []netip.Prefix
	allowed *allowlist
}

func newOrigins(options HandlerOptions) (*origins, error) {
	found := &origins{trusted: options.TrustedProxies}
	hosts := options.AllowedHosts
	if options.PublicURL != "" {
		parsed, err := parseOrigin(options.PublicURL)
		if err != nil {
			return nil, &OptionError{"PublicURL", "is not the URL of an origin; pass a scheme and a host without a path, such as https://mcp.example.com"}
		}
		found.public = parsed.String()
		hosts = append([]string{parsed.Hostname()}, hosts...)
	} else {
		parsed, err := parseOrigin("http://" + options.ListenAddress)
		if err != nil {
			return nil, &OptionError{"PublicURL", "is empty, and there is no listen address to make it of; pass one of them"}
		}
		found.listen = parsed.String()
	}
	var err error
	found.allowed, err = newAllowlist(bracketed(hosts))
	return found, err
}

// bracketed lets IPv6 addresses be passed as they are.
func bracketed(hosts []string) []string {
	result := make([]string, len(hosts))
	for i, host := range hosts {
		if address, err := netip.ParseAddr(host); err == nil && address.Is6() {
			host = "[" + host + "]"
		}
		result[i] = host
	}
	return result
}

// parseOrigin takes a URL of scheme and host, with or without a slash at its end.
func parseOrigin(text string) (*url.URL, error) {
	text = strings.TrimSuffix(text, "/")
	parsed, err := url.Parse(text)
	if err != nil {
		return nil, errNoHost
	}
	scheme := strings.ToLower(parsed.Scheme)
	if scheme != "http" && scheme != "https" || parsed.Hostname() == "" || parsed.User != nil ||
		!strings.EqualFold(text, scheme+"://"+parsed.Host) {
		return nil, errNoHost
	}
	return &url.URL{Scheme: scheme, Host: strings.ToLower(parsed.Host)}, nil
}

// of gives the origin of a request, or false when it asks for a host that is not this server's. The Host
// header is checked even when a proxy forwards another: a page that rebinds its name can write
// forwarded headers, but not the Host.
func (o *origins) of(r *http.Request) (string, bool) {
	if !o.allowed.admit(r.Host) {
		return "", false
	}
	if !o.isTrusted(r.RemoteAddr) {
		return o.fallback(), true
	}
	seen := forwardedBy(r.Header)
	if seen.host == "" {
		return o.fallback(), true
	}
	if !o.allowed.admit(seen.host) {
		return "", false
	}
	if o.public != "" {
		return o.public, true
	}
	parsed, err := parseOrigin(seen.scheme + "://" + seen.host)
	if err != nil {
		return "", false
	}
	return parsed.String(), true
}

func (o *origins) fallback() string {
	if o.public != "" {
		return o.public
	}
	return o.listen
}

func (o *origins) isTrusted(remote string) bool {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return false
	}
	peer, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	for _, prefix := range o.trusted {
		if prefix.Contains(peer.Unmap().WithZone("")) {
			return true
		}
	}
	return false
}
