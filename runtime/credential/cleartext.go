package credential

import (
	"net/netip"
	"net/url"
	"strings"
)

// Loopback tells whether a host name stands for this machine: localhost (RFC 6761), or an address that is
// loopback or unspecified. The brackets of an IPv6 address may be there.
func Loopback(hostname string) bool {
	name := strings.ToLower(strings.TrimSuffix(hostname, "."))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && (address.Unmap().IsLoopback() || address.IsUnspecified())
}

// RefuseClearText refuses a URL whose token would cross a network in clear text: plain http to another machine.
// What the URL is for begins the message. Its error is of class Usage; a URL that does not parse is left to
// whoever dials it.
func RefuseClearText(what, address string) error {
	parsed, err := url.Parse(address)
	if err != nil || !strings.EqualFold(parsed.Scheme, "http") || Loopback(parsed.Hostname()) {
		return nil
	}
	return &Error{
		Class:    Usage,
		Message:  "the " + what + " is plain http to another machine, which would send a token in clear text",
		NextStep: "pass one that begins with https://, or --allow-plain-http in a private network",
	}
}
