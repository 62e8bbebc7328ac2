//go:build clients

package clients_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInspector runs the documented commands, one of them the lint of the schemas (R-SURF-10), and holds what the tools
// return to a golden, for hosts that show it all.
func TestInspector(t *testing.T) {
	u := newUser(t)
	u.runDocumented(t, "mcp-inspector")
	targets := map[string][]string{
		"stdio": {"pdpp-mcp", "stdio", "--provider-url", pdpp.URL},
		"http":  {u.hosted, "--transport", "http", "--header", "Authorization: Bearer " + pdpp.Tokens["everything"]},
	}
	for _, server := range servers {
		shown := make(map[string][]inspected)
		for _, era := range []string{"legacy", "modern"} {
			list := append([]string{"--cli"}, targets[server.channel]...)
			list = append(list, "--protocol-era", era, "--format", "json", "-q")
			u.run(t, "mcp-inspector", append(list, "--method", "tools/list", "--strict")...)
			for _, seen := range seenCalls {
				shown[era] = append(shown[era], u.inspect(t, append(list, "--method", "tools/call",
					"--tool-name", seen.Tool, "--tool-args-json", seen.Arguments)...))
			}
		}
		if diff := cmp.Diff(shown["legacy"], shown["modern"]); diff != "" {
			t.Errorf("%s (-legacy +modern):\n%s", server.channel, diff)
		}
		compareGolden(t, "inspector-"+server.channel, shown["modern"])
	}
}

// inspected is a result without the name of the server, which the newer revision repeats.
type inspected struct {
	Content    json.RawMessage `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// inspect returns the result of a call. The Inspector exits with an error if the call was refused.
func (u *user) inspect(t *testing.T, arguments ...string) inspected {
	t.Helper()
	printed, err := u.command(t, "mcp-inspector", arguments...).Output()
	var answer struct{ Result *inspected }
	if decoding := json.Unmarshal(steady(printed), &answer); decoding != nil || answer.Result == nil {
		t.Fatalf("mcp-inspector %q prints %q: %v", arguments, printed, err)
	}
	return *answer.Result
}
