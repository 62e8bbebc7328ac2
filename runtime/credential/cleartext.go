package credential

import (
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
)

// RefuseClearText refuses a URL whose token would cross a network in clear text: plain http to another machine.
// What the URL is for begins the message. Its error is of class Usage; a URL that does not parse is left to
// whoever dials it.
func RefuseClearText(what, raw string) error {
	parsed, err := url.Parse(raw)
	if err != nil || !strings.EqualFold(parsed.Scheme, "http") || address.IsLoopback(parsed.Hostname()) {
		return nil
	}
	return &Error{
		Class:    Usage,
		Message:  "the " + what + " is plain http to another machine, which would send a token in clear text",
		NextStep: "pass one that begins with https://, or --allow-plain-http in a private network",
	}
}
