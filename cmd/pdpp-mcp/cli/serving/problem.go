package serving

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// settingsError has every wrong setting of a server, each on a line with its place, its value and what to pass.
type settingsError struct{ lines []string }

func (e *settingsError) Error() string { return strings.Join(e.lines, "\n") }

// Lines returns a line for each setting.
func (e *settingsError) Lines() []string { return e.lines }

// ExitCode returns invocation.ExitConfiguration.
func (e *settingsError) ExitCode() int { return invocation.ExitConfiguration }

// problems collects wrong settings.
type problems struct {
	flags *pflag.FlagSet
	lines []string
}

// add adds a wrong value of a flag. A URL is shown without its password.
func (p *problems) add(flag, value, fix string) {
	if parsed, err := url.Parse(value); err == nil && parsed.User != nil {
		parsed.User = url.User("…")
		value = parsed.String()
	}
	p.lines = append(p.lines, fmt.Sprintf("%s: invalid value %q: %s", invocation.Place(p.flags, flag), value, fix))
}

func (p *problems) err() error {
	if p.lines == nil {
		return nil
	}
	return &settingsError{p.lines}
}

// checkURLs checks the addresses that may be empty.
func (s *serveSettings) checkURLs(p *problems) {
	for _, each := range []struct {
		flag, value, example string
		isOrigin             bool
	}{
		{"rs-url", s.host.ResourceURL, "https://rs.pdpp.example", false},
		{"public-url", s.host.PublicURL, "https://mcp.pdpp.example, without a path", true},
		{"authorization-server", s.auth.AuthorizationServer, "https://as.pdpp.example", false},
		{"introspection-url", s.auth.IntrospectionURL, "https://as.pdpp.example/introspect", false},
	} {
		parsed, err := address.Parse(each.value)
		switch {
		case each.value == "":
		case err != nil:
			p.add(each.flag, each.value, err.Error()+"; pass a URL such as "+each.example)
		case each.isOrigin && (strings.Trim(parsed.Path, "/") != "" || parsed.RawQuery != ""):
			p.add(each.flag, each.value, "it is not the URL of an origin; pass one such as "+each.example)
		}
	}
}

// settingOf are the flags of options that NewHandler and NewVerifier refuse.
var settingOf = map[string]string{
	"AllowedHosts": "allowed-host", "AuthorizationServer": "authorization-server", "BaseURL": "rs-url", "ClientID": "introspection-client-id",
	"ClientSecret": "introspection-client-secret-file", "IntrospectionURL": "introspection-url", "ProviderURL": "provider-url", "PublicURL": "public-url",
}

// named names the flag of an option that was refused.
func (s *serveSettings) named(err error) error {
	refused, isOption := errors.AsType[*rs.OptionError](err)
	if flag := ""; isOption {
		if flag = settingOf[refused.Option]; flag != "" {
			return &settingsError{[]string{invocation.Place(s.flags, flag) + ": " + refused.Message}}
		}
	}
	return err
}
