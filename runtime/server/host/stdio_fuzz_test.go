package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
)

// R-STDIO-4, R-ERR-4: whatever lines come in, the server ends in good order with its input, writes nothing but
// JSON-RPC messages, one a line, and still answers the next request.
func FuzzStdioLines(f *testing.F) {
	for _, seed := range []string{
		call(1), read(2), `[` + strings.TrimSpace(call(1)) + `]`, "[]", "{", "null", "\x00\n", "{}\n{}\n",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch","arguments":null}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch","arguments":[1e400]}}`,
		`{"jsonrpc":"2.0","id":{},"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","method":"initialize"}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"pdpp://record/%00"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "\u2028{\"jsonrpc\":\"2.0\"}",
		`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 5_000) + `"}`, strings.Repeat("[", 9_000),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		const last = `{"jsonrpc":"2.0","id":"the-last","method":"ping"}`
		input := io.NopCloser(strings.NewReader(initialize + lines + "\n" + last + "\n"))
		var output bytes.Buffer
		within, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		options := host.Options{Name: "pdpp-mcp", Version: "test"}
		local := admission.New(within, reporting(clientSchema), "", nil)
		err := host.ServeLocal(within, testSurface(), options, local, host.Streams{In: input, Out: &output})
		if within.Err() != nil {
			t.Fatalf("the server has not ended: %v", err)
		}
		for line := range bytes.Lines(output.Bytes()) {
			var message struct {
				JSONRPC string `json:"jsonrpc"`
			}
			if json.Unmarshal(line, &message) != nil || message.JSONRPC != "2.0" {
				t.Errorf("the server wrote %q", line)
			}
		}
		if err == nil && !strings.Contains(output.String(), `"the-last"`) {
			t.Errorf("the request after them has no answer: %q", output.String())
		}
	})
}
