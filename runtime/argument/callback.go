package argument

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// mostCallbackBytes is callback_url_max_bytes of the metadata of PDPP servers.
const mostCallbackBytes = 2048

// CallbackURL accepts an address that a provider may post events to: https, or http on this machine.
func CallbackURL(name, value string) error {
	parsed, err := url.Parse(value)
	problem := ""
	switch {
	case len(value) > mostCallbackBytes:
		return refuse(tool.InvalidArguments, name, fmt.Sprintf("has %d bytes; pass an address of at most %d", len(value), mostCallbackBytes))
	case err != nil || parsed.Hostname() == "":
		problem = "is no address"
	case parsed.User != nil:
		problem = "must not hold a user name or password"
	case strings.Contains(value, "#"):
		problem = "must not hold a fragment"
	case parsed.Scheme == "http" && !isLoopback(parsed.Hostname()):
		problem = "must begin with https://, unless the receiver runs on the provider's machine"
	case parsed.Scheme != "https" && parsed.Scheme != "http":
		problem = "must begin with https://"
	default:
		return nil
	}
	// The address may hold a secret in its path or query, so it is not repeated.
	return refuse(tool.InvalidArguments, name, problem+"; pass one such as https://receiver.example/events")
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}
