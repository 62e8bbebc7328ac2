package host

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

var errNoHost = errors.New("no host")

// origins finds the origin that the client of a request sees (R-HOST-3). It is immutable.
type origins struct {
	public  string // configured; empty if it depends on the request
	listen  string // for a request that no trusted proxy forwarded
	trusted []netip.Prefix
	allowed allowlist
}

func newOrigins(options HandlerOptions) (*origins, error) {
	made := &origins{trusted: options.TrustedProxies}
	hosts := options.AllowedHosts
	if options.PublicURL != "" {
		parsed, err := parseOrigin(options.PublicURL)
		if err != nil {
			return nil, &rs.OptionError{Option: "PublicURL", Message: "is not the URL of an origin; pass a scheme and a host without a path, such as https://mcp.example.com"}
		}
		made.public = address.Canonical(parsed)
		hosts = append([]string{parsed.Hostname()}, hosts...)
	} else {
		parsed, err := parseOrigin("http://" + options.ListenAddress)
		if err != nil {
			return nil, &rs.OptionError{Option: "PublicURL", Message: "is empty, and so is ListenAddress; pass one of them"}
		}
		made.listen = address.Canonical(parsed)
	}
	var err error
	made.allowed, err = newAllowlist(hosts)
	return made, err
}

// parseOrigin parses a URL of scheme and host, with or without a slash at its end. Compare origins with
// address.Canonical.
func parseOrigin(text string) (*url.URL, error) {
	parsed, err := address.ParseBase(text)
	if err != nil || strings.TrimPrefix(parsed.Path, "/") != "" {
		return nil, errNoHost
	}
	return parsed, nil
}

// originOf returns the origin of a request, or false if its host is not allowed. The Host header is checked even if a
// proxy forwards another one: a page that rebinds its name can write forwarded headers, but not the Host.
func (o *origins) originOf(r *http.Request) (string, bool) {
	if !o.allowed.admits(r.Host) {
		return "", false
	}
	known := cmp.Or(o.public, o.listen)
	if !o.isTrusted(r.RemoteAddr) {
		return known, true
	}
	host, scheme := forwarded(r.Header)
	switch {
	case host == "":
		return known, true
	case !o.allowed.admits(host):
		return "", false
	case o.public != "":
		return o.public, true
	}
	parsed, err := parseOrigin(scheme + "://" + host)
	if err != nil {
		return "", false
	}
	return address.Canonical(parsed), true
}

func (o *origins) isTrusted(remote string) bool {
	peer, err := netip.ParseAddrPort(remote)
	return err == nil && slices.ContainsFunc(o.trusted, func(prefix netip.Prefix) bool {
		return prefix.Contains(peer.Addr().Unmap().WithZone(""))
	})
}

// forwarded returns the host, which may be empty, and the scheme that a proxy received. It reads Forwarded (RFC 7239),
// otherwise X-Forwarded-Host and X-Forwarded-Proto. The nearest proxy wrote the last element of a list; the client may
// have written earlier ones.
func forwarded(header http.Header) (host, scheme string) {
	host, scheme = lastElement(header.Values("X-Forwarded-Host")), lastElement(header.Values("X-Forwarded-Proto"))
	if element := lastElement(header.Values("Forwarded")); element != "" {
		host, scheme = "", ""
		for pair := range strings.SplitSeq(element, ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
			value = strings.Trim(value, `"`)
			switch strings.ToLower(name) {
			case "host":
				host = value
			case "proto":
				scheme = value
			}
		}
	}
	if strings.EqualFold(scheme, "https") {
		return host, "https"
	}
	return host, "http"
}

// lastElement returns the last element of a comma-separated list. Hosts and schemes contain no commas.
func lastElement(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	line := lines[len(lines)-1]
	return strings.TrimSpace(line[strings.LastIndexByte(line, ',')+1:])
}

// allowlist has the accepted hosts, each with a port or, for any port, without one. A page of another site can make its
// name point to this machine (DNS rebinding), but cannot remove the name from the Host header.
type allowlist map[string]bool

func newAllowlist(hosts []string) (allowlist, error) {
	list := make(allowlist)
	for _, host := range hosts {
		name, err := ParseAllowedHost(host)
		if err != nil {
			return nil, &rs.OptionError{Option: "AllowedHosts", Message: fmt.Sprintf("invalid host %q: %v", host, err)}
		}
		list[name] = true
	}
	return list, nil
}

// ParseAllowedHost returns an allowed host as a request names it. An IPv6 address may be without brackets.
func ParseAllowedHost(host string) (string, error) {
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() {
		host = "[" + host + "]"
	}
	name, port, err := splitHost(host)
	switch {
	case err != nil:
		return "", errors.New("use a name such as mcp.example.com, or one with a port")
	case port != "":
		name = net.JoinHostPort(name, port)
	}
	return name, nil
}

// admits reports whether a Host or forwarded header names this server. Loopback names are safe, because no page can
// rebind them.
func (l allowlist) admits(host string) bool {
	name, port, err := splitHost(host)
	if err != nil {
		return false
	}
	return address.IsLoopback(name) || l[name] || l[net.JoinHostPort(name, port)]
}

// splitHost returns the name in lower case without brackets and a trailing dot, and the port if there is one.
func splitHost(host string) (name, port string, err error) {
	if host == "" || strings.ContainsAny(host, "/?#@\\ \t") {
		return "", "", errNoHost
	}
	parsed, err := url.Parse("//" + host)
	if err != nil || parsed.Hostname() == "" || parsed.Host != host {
		return "", "", errNoHost
	}
	return strings.TrimSuffix(strings.ToLower(parsed.Hostname()), "."), parsed.Port(), nil
}

// isForeign reports whether a page of another origin made the request (R-HOST-9). Browsers send Origin or
// Sec-Fetch-Site (Fetch Metadata). Programs send neither. Package http's CrossOriginProtection is not used, because it
// compares with the Host, and behind a proxy that is not the public host.
func isForeign(r *http.Request, publicOrigin string) bool {
	if origins := r.Header.Values("Origin"); len(origins) > 0 {
		parsed, err := parseOrigin(origins[0])
		return len(origins) > 1 || err != nil || address.Canonical(parsed) != publicOrigin
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "same-origin" && site != "none"
}
