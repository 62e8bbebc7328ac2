package argument

import (
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// mostCallbackBytes is callback_url_max_bytes of the metadata of PDPP servers.
const mostCallbackBytes = 2048

// CallbackURL accepts an address that a provider may post events to: https, or http on this machine.
func CallbackURL(name, value string) error {
	parsed, err := address.Parse(value)
	problem := ""
	switch {
	case len(value) > mostCallbackBytes:
		return refuse(tool.InvalidArguments, name, fmt.Sprintf("has %d bytes; pass an address of at most %d", len(value), mostCallbackBytes))
	case err != nil:
		problem = err.Error()
	case parsed.Scheme == "http" && !address.IsLoopback(parsed.Hostname()):
		problem = "must begin with https://, unless the receiver runs on the provider's machine"
	default:
		return nil
	}
	// The address may hold a secret in its path or query, so it is not repeated.
	return refuse(tool.InvalidArguments, name, problem+"; pass one such as https://receiver.example/events")
}
