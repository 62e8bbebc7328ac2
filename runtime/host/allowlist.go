package host

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
)

// allowlist holds the hosts that clients may ask for. A page of another site can make its own name point
// to this machine (DNS rebinding); what it cannot do is leave its name out of the Host header.
type allowlist struct {
	names map[string]bool // host with any port
	exact map[string]bool // host:port
}

// newAllowlist takes host names, addresses, and either with a port.
func newAllowlist(hosts []string) (*allowlist, error) {
	list := &allowlist{names: make(map[string]bool), exact: make(map[string]bool)}
	for _, host := range hosts {
		name, port, err := splitHost(host)
		switch {
		case err != nil:
			return nil, &OptionError{"AllowedHosts", fmt.Sprintf("%q is no host; pass a name such as mcp.example.com, or one with a port", host)}
		case port == "":
			list.names[name] = true
		default:
			list.exact[net.JoinHostPort(name, port)] = true
		}
	}
	return list, nil
}

// admit reports whether a Host header, or a forwarded one, names this server. Every page that rebinds has a name of its
// own, so the names of this machine are safe.
func (l *allowlist) admit(host string) bool {
	name, port, err := splitHost(host)
	if err != nil {
		return false
	}
	return address.IsLoopback(name) || l.names[name] || l.exact[net.JoinHostPort(name, port)]
}

// splitHost gives the name in lower case without brackets and a trailing dot, and the port if there is one.
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
