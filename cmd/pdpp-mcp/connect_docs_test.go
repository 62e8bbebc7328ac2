package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every command that docs/connect.md shows is run, in the order of the page, by one user of one sandbox.
func TestDocumentedConnectCommands(t *testing.T) {
	provider := newProvider(t)
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "connect.md"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	environment := append(os.Environ(), "PDPP_CACHE_ROOT="+root, "DISPLAY=:0", "OWNER=approve cin_gmail_personal")
	ran := 0
	for _, line := range strings.Split(string(page), "\n") {
		if !strings.HasPrefix(line, "pdpp-mcp ") {
			continue
		}
		line = strings.ReplaceAll(line, "https://pdpp.example", provider.URL)
		if strings.Contains(line, "grt_1") {
			line = strings.ReplaceAll(line, "grt_1", olderGrant(t, root))
		}
		arguments := strings.Fields(line)
		command := exec.CommandContext(t.Context(), arguments[0], arguments[1:]...)
		command.Env = environment
		if printed, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, printed)
		}
		ran++
	}
	if ran != 8 {
		t.Errorf("ran %d commands, want 8", ran)
	}
}

// olderGrant is the grant that was connected before the last.
func olderGrant(t *testing.T, root string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "clients", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the cache holds %v and gives %v, want one file", files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Others []struct {
			Credential struct {
				GrantID string `json:"grant_id"`
			} `json:"credential"`
		} `json:"other_grants"`
	}
	if err := json.Unmarshal(content, &file); err != nil || len(file.Others) != 1 {
		t.Fatalf("%d other grants and %v, want one", len(file.Others), err)
	}
	return file.Others[0].Credential.GrantID
}
