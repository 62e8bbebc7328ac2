package credential_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// R-STDIO-4: printing an entry of the cache never shows a token, in known or unknown members.
func TestEntriesAreNeverPrinted(t *testing.T) {
	const planted = "planted-secret-of-a-test"
	root := t.TempDir()
	path, err := (&credential.Cache{Root: root}).Path("https://pdpp.example")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	one := `"credential":{"access_token":"` + planted + `","refresh_token":"` + planted + `","id_token":"` + planted +
		`","grant_id":"grt_%d"},` +
		`"client":{"client_id":"cli_1","client_secret":"` + planted + `"},"note":"` + planted + `"`
	file := `{"provider_url":"https://pdpp.example",` + fmt.Sprintf(one, 1) + `,"other_grants":[{` +
		fmt.Sprintf(one, 2) + `}]}`
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	grants, err := (&credential.Cache{Root: root}).Grants("https://pdpp.example")
	if err != nil || len(grants) != 2 {
		t.Fatal(grants, err)
	}
	var printed strings.Builder
	for _, entry := range grants {
		for _, value := range []any{entry, *entry, entry.Credential, &entry.Credential, entry.Client, grants} {
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
				fmt.Fprintf(&printed, verb, value)
			}
			slog.New(slog.NewTextHandler(&printed, nil)).Info("text", "value", value)
			slog.New(slog.NewJSONHandler(&printed, nil)).Info("json", "value", value)
			document, err := json.Marshal(value)
			if err != nil {
				t.Error(err)
			}
			printed.Write(document)
		}
	}
	for _, form := range []string{planted, fmt.Sprintf("%x", planted), strings.Trim(fmt.Sprint([]byte(planted)), "[]")} {
		if strings.Contains(printed.String(), form) {
			t.Errorf("printed %s", form)
		}
	}
	if !strings.Contains(printed.String(), "grt_2") || grants[0].Credential.AccessToken.Reveal() != planted {
		t.Error("nothing was printed, or there was nothing to print")
	}
}
