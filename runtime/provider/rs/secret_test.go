package rs_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Only Reveal returns a secret.
func ExampleSecret() {
	secret := rs.NewSecret("hunter2")
	fmt.Printf("%v %+v %q\n", secret, secret, secret)
	fmt.Println(secret.Reveal())
	// Output:
	// [redacted] [redacted] [redacted]
	// hunter2
}

// R-STDIO-4, R-ERR-6: no form of printing shows a secret, also inside other values.
func TestSecretsAreNeverPrinted(t *testing.T) {
	secret := rs.NewSecret(bearer)
	shown := struct {
		Known  rs.Secret
		hidden rs.Secret
		Names  map[string]rs.Secret
	}{secret, secret, map[string]rs.Secret{"a": secret}}
	options := rs.Options{BaseURL: "https://rs.example.com", Bearer: secret}
	client, err := rs.NewClient(options)
	if err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	for _, value := range []any{secret, &secret, shown, options} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&printed, verb, value)
		}
		slog.New(slog.NewTextHandler(&printed, nil)).Info("text", "value", value)
		slog.New(slog.NewJSONHandler(&printed, nil)).Info("json", "value", value)
		if document, err := json.Marshal(value); err == nil {
			printed.Write(document)
		}
	}
	fmt.Fprintf(&printed, "%v", client)
	for _, form := range []string{bearer, fmt.Sprintf("%x", bearer), fmt.Sprintf("%d", []byte(bearer))} {
		if strings.Contains(printed.String(), form) {
			t.Errorf("printed %s in %s", form, printed.String())
		}
	}
	if secret.Reveal() != bearer || (rs.Secret{}).Reveal() != "" || !(rs.Secret{}).IsZero() || secret.IsZero() {
		t.Error("Reveal or IsZero is wrong")
	}
}

func TestNewBearer(t *testing.T) {
	for value, says := range map[string]string{
		"":                                      "is empty",
		"token-of-a-tes":                        "shorter than 16",
		"token-of-a-test\n":                     "characters",
		"token of a test by words":              "characters",
		"töken-of-a-test-1":                     "characters",
		strings.Repeat("x", rs.LongestBearer+1): "longer than 16384",
		strings.Repeat("x", rs.LongestBearer):   "",
		strings.Repeat("x", rs.ShortestBearer):  "",
	} {
		made, err := rs.NewBearer(value)
		switch {
		case says == "" && (err != nil || made.Reveal() != value):
			t.Errorf("%.20q returns %v", value, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says) || !made.IsZero()):
			t.Errorf("%.20q returns %v, want %s", value, err, says)
		}
	}
}
