package packaging_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// R-DOC-4: every example keeps the compiled PDF reader. Otherwise each PDF takes seconds and 340 MiB to compile it.
func TestExamplesKeepTheCompiledReader(t *testing.T) {
	for file, setting := range map[string]string{
		"../compose.yaml":          "XDG_CACHE_HOME: /var/cache/pdpp-mcp",
		"container/Containerfile":  "ENV XDG_CACHE_HOME=/cache",
		"kubernetes/pdpp-mcp.yaml": "{name: XDG_CACHE_HOME, value: /var/cache/pdpp-mcp}",
		"systemd/pdpp-mcp.service": "XDG_CACHE_HOME=%C/pdpp-mcp",
	} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(content), setting) {
			t.Errorf("%s does not set %s", file, setting)
		}
	}
}

// The examples set only flags and variables of serve.
func TestExamplesUseKnownFlags(t *testing.T) {
	var help []byte
	for _, page := range [][]string{{"serve", "--help"}, {"help", "flags"}} { // its own flags, and those of every command
		printed, err := exec.CommandContext(t.Context(), binary, page...).Output()
		if err != nil {
			t.Fatal(err)
		}
		help = append(help, printed...)
	}
	known := map[string]bool{}
	for _, name := range regexp.MustCompile(`--[a-z][a-z-]+|PDPP_[A-Z_]+`).FindAllString(string(help), -1) {
		known[name] = true
	}
	for _, file := range []string{
		"../compose.yaml", "../Dockerfile", "container/Containerfile", "kubernetes/pdpp-mcp.yaml", "systemd/pdpp-mcp.service",
		"systemd/pdpp-mcp.env",
	} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		used := regexp.MustCompile(`\bserve\b,? (--[a-z][a-z-]+)|\b(PDPP_[A-Z_]+)`).FindAllStringSubmatch(string(content), -1)
		if len(used) == 0 {
			t.Errorf("%s uses no flag and no variable", file)
		}
		for _, use := range used {
			if name := use[1] + use[2]; !known[name] {
				t.Errorf("%s uses %s, which serve does not know", file, name)
			}
		}
	}
}
