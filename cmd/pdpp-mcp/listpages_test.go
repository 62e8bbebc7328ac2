package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// R-HAND-8: an operator's list notes that the provider has more rows than it sent, in every format.
func TestListNotesMoreRows(t *testing.T) {
	provider := cannedProvider(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"name":"a"},{"name":"b"}],"has_more":true,"next_cursor":"2"}`)
	})
	for _, format := range []string{"table", "text", "json"} {
		out, stderr, code := runProgram(t, reading(provider, someToken), "streams", "--format", format)
		if code != 0 || out == "" || stderr != "the provider has more than the 2 rows shown\n" {
			t.Errorf("%s: ended with %d, printed %q and said %q", format, code, out, stderr)
		}
	}
}

// R-HAND-7: --all requests no page twice, even if the provider's cursors form a cycle.
func TestCyclicCursors(t *testing.T) {
	following := map[string]string{"": "1", "1": "2", "2": "1"}
	var asked atomic.Int64
	provider := cannedProvider(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		cursor := r.URL.Query().Get("cursor")
		_, _ = fmt.Fprintf(w,
			`{"object":"list","data":[{"object":"record","id":"m%s","stream":"messages","connection_id":"cin_1","data":{}}],`+
				`"has_more":true,"next_cursor":%q,"meta":{"warnings":[]}}`, cursor, following[cursor])
	})
	file := filepath.Join(t.TempDir(), "rows")
	_, stderr, code := runProgram(t, reading(provider, someToken), "call", "query_records", "messages", "--connection-id",
		"cin_1", "--all", "-o", file)
	if code != invocation.ExitToolError || asked.Load() != 3 || !strings.Contains(stderr, "repeats the cursor") ||
		!strings.Contains(stderr, "stopped after 3 rows; no file was written") {
		t.Errorf("ended with %d after %d pages and said %q", code, asked.Load(), stderr)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 0 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}
