package connect

import (
	"fmt"
	"net/url"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// reach says where a provider's metadata may lead: to https, and to loopback only when the provider itself is
// there. Otherwise a provider could have this machine ask its own services, or send codes in clear text.
type reach struct {
	provider string // its URL in one spelling
	loopback bool
}

// reachOf checks the provider itself.
func reachOf(providerURL string) (reach, error) {
	provider, err := credential.ParseProviderURL(providerURL)
	if err != nil {
		return reach{}, err
	}
	parsed, _ := url.Parse(provider) // ParseProviderURL wrote it
	within := reach{provider: provider, loopback: address.IsLoopback(parsed.Hostname())}
	if parsed.Scheme != "https" && !within.loopback {
		return reach{}, &credential.Error{
			Class:    credential.Usage,
			Message:  "a sign-in at " + provider + " would send codes and a token in clear text",
			NextStep: "pass a provider URL that begins with https://",
		}
	}
	return within, nil
}

// admit reads an address from metadata or from an answer. As it writes itself, it holds no character that a terminal
// would obey. The name says where it stood.
func (r reach) admit(name, raw string) (*url.URL, error) {
	parsed, err := address.Parse(raw)
	problem := ""
	switch {
	case err != nil:
		problem = err.Error()
	case address.MayBeLoopback(parsed.Hostname()) && !r.loopback:
		problem = "leads to this machine, and the provider is elsewhere"
	case parsed.Scheme == "http" && !address.IsLoopback(parsed.Hostname()):
		problem = "is not https"
	default:
		return parsed, nil
	}
	return nil, credential.Misconfigured(fmt.Sprintf("the %s %s, so it is not followed", name, problem), checkProvider, err)
}

// checkProvider is the next step where the provider's metadata are at fault.
const checkProvider = "check the provider URL, or ask who runs the provider"
