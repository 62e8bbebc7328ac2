package credential_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Covers R-STDIO-4 and R-ERR-6: no format prints the token.
func TestTokenIsNeverPrinted(t *testing.T) {
	token, err := rs.NewBearer(secret)
	if err != nil {
		t.Fatal(err)
	}
	entry := credential.Entry{Credential: credential.Credential{AccessToken: token}}
	var printed strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&printed, verb+verb+verb, token, &token, entry)
	}
	slog.New(slog.NewTextHandler(&printed, nil)).Info("token", "token", token, "entry", entry)
	slog.New(slog.NewJSONHandler(&printed, nil)).Info("token", "token", token, "entry", entry)
	encoded, err := json.Marshal(entry)
	if err != nil {
		t.Fatal(err)
	}
	printed.Write(encoded)
	for _, form := range []string{secret, fmt.Sprintf("%x", secret), fmt.Sprintf("%d", []byte(secret))} {
		if strings.Contains(printed.String(), form) {
			t.Errorf("printed %s", form)
		}
	}
}

// Covers R-STDIO-3: the error names every owner variable and no value.
func TestRefuseOwnerEnvironment(t *testing.T) {
	tests := []struct {
		name        string
		environment []string
		names       []string // nil: nothing is refused
	}{
		{name: "nothing", environment: []string{
			"PATH=/bin", "PDPP_PROVIDER_URL=x", "PDPP_ACCESS_TOKEN=x",
			"XPDPP_OWNER_TOKEN=x",
		}},
		{name: "empty", environment: []string{"PDPP_OWNER_TOKEN="}},
		{name: "token", environment: []string{"PDPP_OWNER_TOKEN=" + secret}, names: []string{"PDPP_OWNER_TOKEN"}},
		{
			name: "cookie", environment: []string{"PDPP_OWNER_SESSION_COOKIE=" + secret},
			names: []string{"PDPP_OWNER_SESSION_COOKIE"},
		},
		{
			name: "another", environment: []string{"PDPP_OWNER_PASSWORD=" + secret + "=="},
			names: []string{"PDPP_OWNER_PASSWORD"},
		},
		{
			name:        "several",
			environment: []string{"PDPP_OWNER_TOKEN=" + secret, "PDPP_OWNER_KEY=" + secret},
			names:       []string{"PDPP_OWNER_KEY, PDPP_OWNER_TOKEN"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := credential.RefuseOwnerEnvironment(test.environment)
			if test.names == nil {
				if err != nil {
					t.Fatalf("error is %v, want none", err)
				}
				return
			}
			wantError(t, err, credential.Refused, test.names...)
		})
	}
}

func TestReadTokenFile(t *testing.T) {
	tests := []struct {
		name    string
		content string
		text    string // empty: the token is usable
	}{
		{name: "token", content: secret},
		{name: "with a final newline", content: secret + "\r\n"},
		{name: "empty", content: "\n", text: "the access token is empty"},
		{name: "two lines", content: secret + "\n" + secret, text: "characters that a bearer cannot have"},
		{name: "too long", content: strings.Repeat("x", 16<<10+1), text: "longer than 16384 bytes"},
		{name: "far too long", content: string(bytes.Repeat([]byte("x"), 1<<20)), text: "longer than 16384 bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			token, err := credential.ReadTokenFile(path)
			if test.text != "" {
				wantError(t, err, credential.Configuration, test.text, "--access-token-file")
				return
			}
			if err != nil || token.Reveal() != secret {
				t.Errorf("error is %v, want none and the token", err)
			}
		})
	}
	_, err := credential.ReadTokenFile(filepath.Join(t.TempDir(), "none"))
	wantError(t, err, credential.Configuration, "no such file")
	_, err = credential.ReadTokenFile(t.TempDir())
	wantError(t, err, credential.Configuration, "is a directory")
}

func TestTokenFromEnvironment(t *testing.T) {
	if token, err := credential.TokenFromEnvironment(secret + "\n"); err != nil || token.Reveal() != secret {
		t.Errorf("error is %v, want none and the token", err)
	}
	_, err := credential.TokenFromEnvironment(secret + " " + secret)
	wantError(t, err, credential.Configuration, "PDPP_ACCESS_TOKEN")
}
