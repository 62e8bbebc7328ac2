package connect

import (
	"fmt"
	"net/url"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// reach says where a provider's metadata may lead: to https, and to loopback only when the provider itself is
// there. Otherwise a provider could have this machine ask its own services, or send codes in clear text.
type reach struct{ loopback bool }

// reachOf checks the provider itself, and gives its URL in one spelling.
func reachOf(providerURL string) (string, reach, error) {
	provider, err := credential.ParseProviderURL(providerURL)
	if err != nil {
		return "", reach{}, err
	}
	parsed, err := url.Parse(provider)
	if err != nil {
		return "", reach{}, &credential.Error{Class: credential.Usage, Message: "the provider URL is not a URL", NextStep: "pass one like https://pdpp.example", Cause: err}
	}
	within := reach{loopback: credential.Loopback(parsed.Hostname())}
	if parsed.Scheme != "https" && !within.loopback {
		return "", reach{}, &credential.Error{
			Class:    credential.Usage,
			Message:  "a sign-in at " + provider + " would send codes and a token in clear text",
			NextStep: "pass a provider URL that begins with https://",
		}
	}
	return provider, within, nil
}

// admit gives an address from metadata or from an answer in one spelling, in which it holds no character that a
// terminal would obey. The name says where it stood.
func (r reach) admit(name, address string) (string, error) {
	parsed, err := url.Parse(address)
	problem := ""
	switch {
	case err != nil:
		problem = "is not a URL"
	case parsed.Scheme != "https" && parsed.Scheme != "http" || parsed.Hostname() == "":
		problem = "is not an absolute https URL"
	case parsed.User != nil:
		problem = "holds a user name or a password"
	case parsed.Fragment != "":
		problem = "holds a fragment"
	case credential.Loopback(parsed.Hostname()) && !r.loopback:
		problem = "leads to this machine, and the provider is elsewhere"
	case parsed.Scheme == "http" && !credential.Loopback(parsed.Hostname()):
		problem = "is not https"
	}
	if problem != "" {
		return "", &credential.Error{
			Class:    credential.Configuration,
			Message:  fmt.Sprintf("the %s %s, so it is not followed", name, problem),
			NextStep: checkProvider,
			Cause:    err,
		}
	}
	return parsed.String(), nil
}

// checkProvider is the next step where the provider's metadata are at fault.
const checkProvider = "check the provider URL, or ask who runs the provider"
