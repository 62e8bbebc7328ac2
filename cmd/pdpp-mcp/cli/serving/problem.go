package serving

import (
	"errors"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// checkURLs checks the addresses. Empty ones are missing or optional. Tokens are sent to the resource server and to the
// introspection endpoint, so those must not be plain http.
func (s *serveSettings) checkURLs(add func(flag, value, fix string)) {
	read, asked := "provider-url", "authorization-server"
	if s.host.ResourceURL != "" {
		read = "rs-url"
	}
	if s.auth.IntrospectionURL != "" {
		asked = "introspection-url"
	}
	for _, each := range []struct {
		flag, value, name, example string
	}{
		{"provider-url", s.host.ProviderURL, "provider URL", ""},
		{"rs-url", s.host.ResourceURL, "resource server URL", "https://rs.pdpp.example"},
		{"public-url", s.host.PublicURL, "public URL", "https://mcp.pdpp.example, without a path"},
		{"authorization-server", s.auth.AuthorizationServer, "authorization server", "https://as.pdpp.example"},
		{"introspection-url", s.auth.IntrospectionURL, "introspection URL", "https://as.pdpp.example/introspect"},
	} {
		if isBlank(each.value) {
			continue
		}
		parsed, err := address.Parse(each.value)
		switch {
		case each.flag == "provider-url":
			s.host.ProviderURL, err = credential.ParseProviderURL(each.value)
		case err != nil:
			err = errors.New(err.Error() + "; pass a URL such as " + each.example)
		case each.flag == "public-url" && (strings.Trim(parsed.Path, "/") != "" || parsed.RawQuery != ""):
			err = errors.New("it is not the URL of an origin; pass one such as " + each.example)
		}
		if err == nil && (each.flag == read || each.flag == asked) {
			err = s.clearText.Refuse(each.name, each.value)
		}
		if err != nil {
			add(each.flag, each.value, err.Error())
		}
	}
}

// settingOf are the flags of options that NewHandler and NewVerifier refuse.
var settingOf = map[string]string{
	"AuthorizationServer": "authorization-server", "BaseURL": "rs-url", "ClientID": "introspection-client-id", "ClientSecret": secretFlag,
	"IntrospectionURL": "introspection-url", "ProviderURL": "provider-url", "PublicURL": "public-url",
}

// named names the flag of an option that was refused.
func (s *serveSettings) named(err error) error {
	refused, isOption := errors.AsType[*rs.OptionError](err)
	if flag := ""; isOption {
		if flag = settingOf[refused.Option]; flag != "" {
			wrong := &invocation.WrongSettings{}
			wrong.Fail(invocation.ExitConfiguration, invocation.Place(s.flags, flag)+": "+refused.Message)
			return wrong
		}
	}
	return err
}
