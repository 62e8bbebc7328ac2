// Package address checks web addresses from the configuration or from other servers: whether one is valid, and whether
// it is this machine. It knows where the metadata of a server is. It sends nothing.
package address

import (
	"cmp"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Fault is the reason why an address is invalid. It completes a sentence, such as "names no host". It never repeats the
// address, which may hold a password.
type Fault string

func (f Fault) Error() string { return string(f) }

// The faults, in the order in which they are checked.
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
	case err != nil: // not wrapped, because its text repeats the address
		return nil, NoURL
	case parsed.Scheme != "http" && parsed.Scheme != "https":
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

// ParseBase is Parse for the address that other addresses begin with. It refuses a query too.
func ParseBase(raw string) (*url.URL, error) {
	parsed, err := Parse(raw)
	if err == nil && (parsed.RawQuery != "" || parsed.ForceQuery) {
		return nil, HasQuery
	}
	return parsed, err
}

// Canonical returns the canonical spelling of an address (RFC 3986, section 6.2): scheme and host in lower case,
// without the default port. An address without query and fragment has no slash at the end.
func Canonical(address *url.URL) string {
	same := *address
	same.Scheme, same.Host = strings.ToLower(address.Scheme), strings.ToLower(address.Host)
	if port := address.Port(); port == "" || port == defaultPorts[same.Scheme] {
		same.Host = strings.TrimSuffix(same.Host, ":"+port)
	}
	if same.RawQuery == "" && same.Fragment == "" {
		return strings.TrimRight(same.String(), "/")
	}
	return same.String()
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// HostPort returns the host and the port to dial. The default is the port of the scheme.
func HostPort(address *url.URL) string {
	return net.JoinHostPort(address.Hostname(), cmp.Or(address.Port(), defaultPorts[address.Scheme]))
}

// WellKnown returns the URL of a document about a server. The well-known part is between the host and the path of the
// server's address (RFC 8414, section 3.1; RFC 9728, section 3.1).
func WellKnown(server *url.URL, name string) string {
	return server.Scheme + "://" + server.Host + "/.well-known/" + name + strings.TrimRight(server.EscapedPath(), "/")
}

// IsLoopback reports whether a host, with or without the brackets of an IPv6 address, is certainly this machine:
// localhost or a loopback address. A secret may be sent there without encryption. It is false for names below
// localhost, which some systems look up in the DNS (RFC 6761, section 6.3), for the unspecified address, and for an
// address with a zone.
func IsLoopback(host string) bool {
	host = plain(host)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback() && ip.Zone() == ""
}

// MayBeLoopback reports whether a host may be this machine, whose services must be protected. It does not look up
// names.
func MayBeLoopback(host string) bool {
	host = plain(host)
	ip, err := netip.ParseAddr(host)
	return IsLoopback(host) || strings.HasSuffix(host, ".localhost") || err == nil &&
		(ip.IsLoopback() || ip.Unmap().IsUnspecified() || ip.WithZone("").IsUnspecified())
}

// plain returns a host in lower case, without brackets and without the dot at the end of a full name.
func plain(host string) string {
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}
