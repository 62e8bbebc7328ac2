package connect

import (
	"fmt"
	"net/url"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// admit parses a URL from metadata or a response and checks that it may be requested. Printing the result cannot control a terminal.
// The name describes the URL in the error.
func (a *asker) admit(name, raw string) (*url.URL, error) {
	parsed, err := address.Parse(raw)
	problem := ""
	switch {
	case err != nil:
		problem = err.Error()
	case address.MayBeLoopback(parsed.Hostname()) && !a.loopback:
		problem = "leads to this machine, and the provider is elsewhere"
	case parsed.Scheme == "http" && !address.IsLoopback(parsed.Hostname()):
		problem = "is not https"
	default:
		return parsed, nil
	}
	return nil, credential.Misconfigured(fmt.Sprintf("the %s %s, so it is not followed", name, problem), checkProvider, err)
}

// checkProvider is the next step if the provider's metadata are wrong.
const checkProvider = "check the provider URL, or ask who runs the provider"

// endpoint admits and normalizes a URL that may be empty.
func (a *asker) endpoint(name string, named *string) error {
	if *named == "" {
		return nil
	}
	admitted, err := a.admit(name, *named)
	if err == nil {
		*named = admitted.String()
	}
	return err
}
