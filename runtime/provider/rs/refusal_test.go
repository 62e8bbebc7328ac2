package rs_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// recorded answers with a recorded response: status line, headers, empty line, body.
func recorded(t *testing.T, file string) http.HandlerFunc {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, sent, _ := strings.Cut(string(text), "\n\n")
	lines := strings.Split(head, "\n")
	status, err := strconv.Atoi(strings.Fields(lines[0])[1])
	if err != nil {
		t.Fatal(err)
	}
	return func(writer http.ResponseWriter, _ *http.Request) {
		for _, line := range lines[1:] {
			name, value, _ := strings.Cut(line, ": ")
			writer.Header().Set(name, value)
		}
		writer.WriteHeader(status)
		_, _ = writer.Write([]byte(sent))
	}
}

// R-ERR-1: an Error keeps the meaning of a refusal in any shape. The answers are recordings of resource servers,
// proxies and frameworks.
func TestRefusals(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded errors: %v", err)
	}
	var got strings.Builder
	for _, file := range files {
		client, _ := serve(t, recorded(t, file))
		_, err := client.Get(t.Context(), rs.Request{Path: "/v1/streams"})
		var refused *rs.Error
		if !errors.As(err, &refused) {
			t.Fatalf("%s: got %v, want an *rs.Error", file, err)
		}
		fmt.Fprintf(&got, "%s\n  %d %s %s request=%q retry_after=%q\n  %s\n  %s\n", filepath.Base(file), refused.Status,
			refused.Type, refused.Code, refused.RequestID, refused.RetryAfter, refused.Message, refused.Envelope)
	}
	golden.File(t, "testdata/errors.golden", got.String())
}
