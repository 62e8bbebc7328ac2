package page

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
)

// addresses are the URLs of one server as a client sees them.
type addresses struct {
	Origin string // escaped, without a slash at its end
}

func newAddresses(origin string) addresses {
	return addresses{Origin: escapeURL(origin)}
}

func (a addresses) Index() string       { return a.Origin + IndexPath }
func (a addresses) MCP() string         { return a.Origin + MCPPath }
func (a addresses) Connect() string     { return a.Origin + ConnectPath }
func (a addresses) LLMS() string        { return a.Origin + LLMSPath }
func (a addresses) Icon() string        { return a.Origin + IconPath }
func (a addresses) Metadata() string    { return a.Origin + MetadataPath }
func (a addresses) MCPMetadata() string { return a.Origin + MCPMetadataPath }

// Public tells whether a client on the internet may reach the origin: HTTPS, and not a host that
// only this machine or this network knows.
func (a addresses) Public() bool {
	parsed, err := url.Parse(a.Origin)
	if err != nil || parsed.Scheme != "https" {
		return false
	}
	host := parsed.Hostname()
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsGlobalUnicast() && !ip.IsPrivate()
	}
	return strings.Contains(host, ".") && !address.MayBeLoopback(host)
}

// escapeURL percent-encodes every byte that an http origin cannot hold, so that the result is inert in
// HTML, JSON, plain text, a header and a shell. A URL that is right comes back as it was, without the
// slash at its end.
func escapeURL(text string) string {
	var escaped strings.Builder
	for _, octet := range []byte(strings.TrimRight(text, "/")) {
		if 'a' <= octet && octet <= 'z' || 'A' <= octet && octet <= 'Z' || '0' <= octet && octet <= '9' ||
			strings.IndexByte("-._~:/[]%", octet) >= 0 {
			escaped.WriteByte(octet)
			continue
		}
		fmt.Fprintf(&escaped, "%%%02X", octet)
	}
	return escaped.String()
}
