package hosted_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// installNode explains how to install the TypeScript SDK, as .ci/node does.
const installNode = "a client of the TypeScript SDK needs Node 20 or newer and its packages: " +
	"npm ci --prefix e2e/hosted/testdata/typescript, or set PDPP_NO_NODE=1 to do without"

// walkFolder has the script of the walk and the packages that .ci/node installs.
const walkFolder = "testdata/typescript"

// findNode returns the path of Node, or an empty string if it or the packages are missing. A Node that was installed
// with the packages comes first, because the system's is then too old.
func findNode() string {
	if _, err := os.Stat(filepath.Join(walkFolder, "node_modules", "@modelcontextprotocol", "client")); err != nil {
		return ""
	}
	for _, name := range []string{filepath.Join(walkFolder, "node_modules", "node", "bin", "node"), "node"} {
		if found, err := exec.LookPath(name); err == nil {
			if absolute, err := filepath.Abs(found); err == nil {
				return absolute
			}
		}
	}
	return ""
}

// walkRequest is the input of the walk, on stdin.
type walkRequest struct {
	Endpoint  string `json:"endpoint"`
	Token     string `json:"token"`
	Client    string `json:"client"` // a name in connect.mjs
	OfPackage bool   `json:"ofPackage"`
}

// R-HOST-1, R-SURF-10, R-BUD-1, R-HAND-8, R-ERR-1, R-ERR-2: clients of another ecosystem, which throw away what does
// not fit the declared outputs, walk with a client token and with a package token.
func TestTypeScriptClients(t *testing.T) {
	node := findNode()
	if node == "" && os.Getenv("PDPP_NO_NODE") == "1" {
		t.Log(installNode)
		return
	}
	if node == "" {
		t.Fatal(installNode)
	}
	provider := journey.NewProvider(t, resource.ReadsOpen) // what is tried is the transport
	endpoint := hosttest.ServeHosted(t, gen.Surface(), provider.Upstream(), hosttest.Patient)
	for _, client := range []struct{ name, revision string }{
		{"sdk 1", "2025-11-25"},
		{"client 2, legacy", "2025-11-25"},
		{"client 2, modern", "2026-07-28"},
	} {
		for _, token := range []string{"everything", "package"} {
			t.Run(client.name+"/"+token, func(t *testing.T) {
				provider.Take()
				walked := walk(t, node, walkRequest{
					Endpoint: endpoint, Token: provider.Box.Tokens()[token], Client: client.name, OfPackage: token == "package",
				})
				if walked.Revision != client.revision {
					t.Errorf("the client spoke %s, want %s", walked.Revision, client.revision)
				}
				if read := len(provider.Take()); read == 0 || walked.Calls < 18 {
					t.Errorf("%d calls led to %d requests to the provider", walked.Calls, read)
				}
			})
		}
	}
}

// walked is the output of the walk.
type walked struct {
	Revision string `json:"revision"` // of MCP
	Calls    int    `json:"calls"`
}

func walk(t *testing.T, node string, request walkRequest) walked {
	t.Helper()
	asked, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), node, "walk.mjs")
	command.Dir, command.Stdin = walkFolder, bytes.NewReader(asked)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	printed, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var answer walked
	if err := json.Unmarshal(printed, &answer); err != nil {
		t.Fatalf("printed %q: %v", printed, err)
	}
	return answer
}
