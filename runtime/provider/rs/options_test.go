package rs_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

func TestInvalidOptions(t *testing.T) {
	const good = "https://rs.example.com"
	tests := []struct {
		name    string
		options rs.Options
		option  string
		says    string
	}{
		{"no base URL", rs.Options{Bearer: rs.NewSecret(bearer)}, "BaseURL", "http"},
		{"scheme", rs.Options{BaseURL: "ftp://rs.example.com", Bearer: rs.NewSecret(bearer)}, "BaseURL", "must begin with"},
		{"no scheme", rs.Options{BaseURL: "rs.example.com", Bearer: rs.NewSecret(bearer)}, "BaseURL", "must begin with"},
		{"no host", rs.Options{BaseURL: "https:///v1", Bearer: rs.NewSecret(bearer)}, "BaseURL", "no host"},
		{
			"userinfo",
			rs.Options{BaseURL: "https://me:s3cret@rs.example.com", Bearer: rs.NewSecret(bearer)},
			"BaseURL", "password",
		},
		{
			"userinfo of a broken URL",
			rs.Options{BaseURL: "https://me:s3cret@rs.example.com:port", Bearer: rs.NewSecret(bearer)},
			"BaseURL", "is not a URL",
		},
		{"query", rs.Options{BaseURL: good + "?a=1", Bearer: rs.NewSecret(bearer)}, "BaseURL", "query"},
		{"empty query", rs.Options{BaseURL: good + "?", Bearer: rs.NewSecret(bearer)}, "BaseURL", "query"},
		{"fragment", rs.Options{BaseURL: good + "#", Bearer: rs.NewSecret(bearer)}, "BaseURL", "fragment"},
		{
			"provider",
			rs.Options{BaseURL: good, ProviderURL: "https://me:s3cret@example.com", Bearer: rs.NewSecret(bearer)},
			"ProviderURL", "password",
		},
		{"no bearer", rs.Options{BaseURL: good}, "Bearer", "empty"},
		{
			"line break in bearer",
			rs.Options{BaseURL: good, Bearer: rs.NewSecret("s3cret-s3cret\r\nX-Other: 1")},
			"Bearer", "characters",
		},
		{"space in bearer", rs.Options{BaseURL: good, Bearer: rs.NewSecret("s3cret-s3cret s3cret")}, "Bearer", "characters"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			client, err := rs.NewClient(test.options)
			var refused *rs.OptionError
			if client != nil || !errors.As(err, &refused) {
				t.Fatalf("got %v and %v, want an *rs.OptionError", client, err)
			}
			if refused.Option != test.option || !strings.Contains(refused.Message, test.says) {
				t.Errorf("got %v, want %s …%s…", refused, test.option, test.says)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error repeats a secret: %v", err)
			}
		})
	}
}

func TestProviderURL(t *testing.T) {
	for _, test := range []struct{ base, provider, want string }{
		{"http://127.0.0.1:7663/", "", "http://127.0.0.1:7663"},
		{"http://rs.internal:8000", "https://pdpp.example.com/", "https://pdpp.example.com"},
	} {
		client, err := rs.NewClient(rs.Options{BaseURL: test.base, ProviderURL: test.provider, Bearer: rs.NewSecret(bearer)})
		if err != nil {
			t.Fatal(err)
		}
		if got := client.ProviderURL(); got != test.want {
			t.Errorf("ProviderURL = %s, want %s", got, test.want)
		}
	}
}
