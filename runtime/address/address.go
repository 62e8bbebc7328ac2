// Package address checks web addresses from the configuration or from other servers: whether one can be used, whether it is this
// machine, and where the metadata of a server is. It sends nothing.
package address

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Fault is why an address cannot be used. It completes a sentence, such as "names no host". It never repeats the address, which may
// have a password.
type Fault string

func (f Fault) Error() string { return string(f) }

// The faults, in the order in which they are looked for.
const (
	NoURL       Fault = "is not a URL"
	NoHTTP      Fault = "must begin with http:// or https://"
	NoHost      Fault = "names no host"
	HasUser     Fault = "must not hold a user name or a password"
	HasFragment Fault = "must not hold a fragment"
	HasQuery    Fault = "must not hold a query"
)

// Parse reads an absolute http or https URL without credentials and without a fragment. Its error is a Fault.
func Parse(raw string) (*url.URL, error) {
	parsed, err := url.Parse(raw)
	switch {
	case err != nil: // its text would repeat the address
		return nil, NoURL
	case parsed.Scheme != "http" && parsed.Scheme != "https": // url.Parse gives it in lower case
		return nil, NoHTTP
	case parsed.Hostname() == "":
		return nil, NoHost
	case parsed.User != nil:
		return nil, HasUser
	case strings.Contains(raw, "#"):
		return nil, HasFragment
	}
	return parsed, nil
}

// ParseBase is Parse for an address below which others lie, so that it has no query either.
func ParseBase(raw string) (*url.URL, error) {
	parsed, err := Parse(raw)
	if err == nil && (parsed.RawQuery != "" || parsed.ForceQuery) {
		return nil, HasQuery
	}
	return parsed, err
}

// Canonical is an address in one spelling (RFC 3986, section 6.2): scheme and host in lower case, without the port that
// the scheme has anyway, and, where there is no query and no fragment, without a slash at the end.
func Canonical(of *url.URL) string {
	same := *of
	same.Scheme, same.Host = strings.ToLower(of.Scheme), strings.ToLower(of.Host)
	if port := of.Port(); port == "" || port == defaultPorts[same.Scheme] {
		same.Host = strings.TrimSuffix(same.Host, ":"+port)
	}
	if same.RawQuery == "" && same.Fragment == "" {
		return strings.TrimRight(same.String(), "/")
	}
	return same.String()
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// HostPort is the host and the port to dial, the scheme's own where the address names none.
func HostPort(of *url.URL) string {
	port := of.Port()
	if port == "" {
		port = defaultPorts[of.Scheme]
	}
	return net.JoinHostPort(of.Hostname(), port)
}

// WellKnown is where a document about a server lies: the well-known part stands between the host and the path of the
// server's address (RFC 8414, section 3.1; RFC 9728, section 3.1).
func WellKnown(server *url.URL, name string) string {
	return server.Scheme + "://" + server.Host + "/.well-known/" + name + strings.TrimRight(server.EscapedPath(), "/")
}

// IsLoopback reports whether a host, with or without the brackets of an IPv6 address, is certainly this machine: localhost or a
// loopback address. A secret may be sent there without encryption. It is strict: some systems look up names below localhost in the
// DNS (RFC 6761, section 6.3), and the unspecified address and one with a zone are not loopback addresses.
func IsLoopback(host string) bool {
	host = plain(host)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback() && ip.Zone() == ""
}

// MayBeLoopback reports whether a host may be this machine. It protects this machine's services, so it is strict in the other
// direction. It does not look up names.
func MayBeLoopback(host string) bool {
	host = plain(host)
	ip, err := netip.ParseAddr(host)
	return IsLoopback(host) || strings.HasSuffix(host, ".localhost") || err == nil && (ip.IsLoopback() || ip.Unmap().IsUnspecified() || ip.WithZone("").IsUnspecified())
}

// plain is a host in lower case, without brackets and without the dot at the end of a full name.
func plain(host string) string {
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}
