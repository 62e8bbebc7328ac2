//go:build clients

package clients_test

import (
	"bytes"
	"encoding/json"
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

// compareGolden compares what a model was shown with testdata/golden. Strings are not escaped there, so that the diff shows what
// the model sees.
func compareGolden(t *testing.T, name string, shown any) {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(shown); err != nil {
		t.Fatal(err)
	}
	golden.File(t, filepath.Join("testdata", "golden", name+".json"), steady(text.Bytes()))
}
