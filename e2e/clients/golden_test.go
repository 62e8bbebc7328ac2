//go:build clients

package clients_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
)

// What differs from run to run, and its placeholder in the goldens.
var changing = []struct {
	pattern *regexp.Regexp
	stands  string
}{
	{regexp.MustCompile(`http://127\.0\.0\.1:\d+`), "http://pdpp.example"},
	{regexp.MustCompile(`Wall time: [0-9.]+ seconds`), "Wall time: 0.1 seconds"},
	{regexp.MustCompile(`req_[A-Za-z0-9_-]+`), "req_1"},
	{regexp.MustCompile(`eyJ[A-Za-z0-9_-]+`), "eyJ_cursor"},
}

// steady replaces what differs from run to run.
func steady(text []byte) []byte {
	for _, change := range changing {
		text = change.pattern.ReplaceAll(text, []byte(change.stands))
	}
	return text
}

// compareGolden compares the hash of what a model was shown with testdata/golden. What it was shown is among the
// artifacts of the test.
func compareGolden(t *testing.T, name string, shown any) {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // as the model sees it
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(shown); err != nil {
		t.Fatal(err)
	}
	seen := steady(text.Bytes())
	kept := filepath.Join(t.ArtifactDir(), name+".json")
	if err := os.WriteFile(kept, seen, 0o600); err != nil {
		t.Fatal(err)
	}
	golden.File(t, filepath.Join("testdata", "golden", name+".sha256"), fmt.Sprintf("%x\n", sha256.Sum256(golden.WithoutMarks(seen))))
	if t.Failed() {
		t.Logf("go test -artifacts keeps %s; compare it with the file of an earlier revision", kept)
	}
}
