package credential

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Covers R-STDIO-2: an exposed file that cannot be narrowed is refused. The face of the package
// cannot make chmod fail for every user who runs the tests, so this test replaces it.
func TestReadRefusesFileThatStaysExposed(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "clients"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "clients", "pdpp.example.json")
	content := `{"provider_url":"https://pdpp.example","credential":{"access_token":"secret-token-of-a-test"}}`
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	notPermitted := errors.New("operation not permitted")
	cache := &Cache{Root: root, narrow: func(*os.File) error { return notPermitted }}
	grants, err := cache.Grants("https://pdpp.example")
	var failure *Error
	if !errors.As(err, &failure) || failure.Class != Configuration || !errors.Is(err, notPermitted) || grants != nil {
		t.Fatalf("gives %v, and the error %v; want none and one of class configuration with its cause", grants, err)
	}
	if !strings.Contains(err.Error(), "chmod 600 "+path) {
		t.Errorf("error %q does not say what to do", err)
	}
}
