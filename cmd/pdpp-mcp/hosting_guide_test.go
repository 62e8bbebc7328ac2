package main

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The first block of the page about hosting starts a server and gets an answer in both revisions of MCP. The sandbox of
// its first line is one of the test.
func TestHostingQuickstart(t *testing.T) {
	box, provider := newProviderAndBox(t, 1)
	_, block, _ := strings.Cut(readPage(t, "docs/hosting.md"), "```bash\n")
	block, _, _ = strings.Cut(block, "```")
	_, script, found := strings.Cut(block, "\n")
	if !found || !strings.HasPrefix(block, "rm -f ready.json; pdpp-sandbox ") {
		t.Fatalf("the page begins with %.80q", block)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	folder := t.TempDir()
	ready, err := json.Marshal(map[string]any{"tokens": box.Tokens()})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"ready.json": string(ready),
		"secret":     box.Authorization().Caller().Secret,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script = strings.NewReplacer("http://127.0.0.1:8787", provider, "127.0.0.1:8788", address).Replace(script)
	command := exec.CommandContext(t.Context(), "bash", "-c", "set -e; trap 'kill $(jobs -p)' EXIT\n"+script)
	command.Dir, command.Env = folder, append(os.Environ(), "PDPP_LISTEN="+address)
	var problems strings.Builder
	command.Stderr = &problems
	printed, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, printed, problems.String())
	}
	if !strings.Contains(string(printed), "ok      resource server") ||
		strings.Count(string(printed), `"structuredContent"`) != 2 {
		t.Errorf("printed %.3000s", printed)
	}
}
