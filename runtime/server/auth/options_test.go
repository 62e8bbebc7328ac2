package auth_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
)

// Errors name invalid options without their values.
func TestOptions(t *testing.T) {
	for option, change := range map[string]func(*auth.Options){
		"AuthorizationServer": func(options *auth.Options) { options.AuthorizationServer = "as.example.com" },
		"IntrospectionURL": func(options *auth.Options) {
			options.IntrospectionURL = "https://user:planted@as.example.com"
		},
		"ClientID":     func(options *auth.Options) { options.ClientID = "" },
		"ClientSecret": func(options *auth.Options) { options.ClientSecret = rs.Secret{} },
		"Audiences":    func(options *auth.Options) { options.Audiences = nil },
	} {
		options := auth.Options{
			AuthorizationServer: "https://as.example.com", ClientID: "adapter", ClientSecret: rs.NewSecret(clientSecret),
			Audiences: []string{resource},
		}
		change(&options)
		v, err := auth.NewVerifier(options)
		var wrong *rs.OptionError
		if v != nil || !errors.As(err, &wrong) || wrong.Option != option || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: got %v", option, err)
		}
	}
}
