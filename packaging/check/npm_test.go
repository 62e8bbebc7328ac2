//go:build packages

package check_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// installed makes a project with the packages installed from their tarballs, offline.
func installed(t *testing.T, packages ...string) string {
	t.Helper()
	tarballs, project := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(project, "package.json"), []byte(`{"private":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"install", "--offline", "--cache", t.TempDir(), "--no-audit", "--no-fund", "--loglevel", "error"}
	for _, name := range packages {
		printed := run(t, released(t, "npm/"+name), "npm", "pack", "--silent", "--pack-destination", tarballs)
		lines := strings.Fields(printed)
		arguments = append(arguments, filepath.Join(tarballs, lines[len(lines)-1]))
	}
	run(t, project, "npm", arguments...)
	return project
}

func platformName() string {
	architecture := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if architecture == "" {
		architecture = runtime.GOARCH
	}
	return runtime.GOOS + "-" + architecture
}

func TestNPXRunsTheBinary(t *testing.T) {
	project := installed(t, platformName(), "pdpp-mcp")
	direct := run(t, ".", here(t), "version")
	printed := run(t, project, "npx", "--offline", "--no", "pdpp-mcp", "version")
	if !strings.HasSuffix(printed, direct) || !strings.Contains(direct, "pdpp-mcp ") {
		t.Errorf("npx printed %q, the binary %q", printed, direct)
	}
	launcher := filepath.Join(project, "node_modules", ".bin", "pdpp-mcp")
	_, err := try(t, project, launcher, "nonsense")
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 64 {
		t.Errorf("a wrong command ended with %v, want exit code 64", err)
	}
}

// The command in docs/install.md installs a build from its folders.
func TestFoldersOfABuildAreInstalled(t *testing.T) {
	page, err := os.ReadFile("../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := regexp.MustCompile(`(?m)^npm install --global .*$`).FindString(string(page))
	if documented == "" {
		t.Fatal("docs/install.md does not say how to install a build")
	}
	prefix := t.TempDir()
	line := strings.ReplaceAll(documented, "linux-x64", platformName()) + " --no-audit --no-fund --prefix " + prefix
	run(t, "../..", "sh", "-c", line)
	if printed := run(t, ".", filepath.Join(prefix, "bin", "pdpp-mcp"), "version"); printed != run(t, ".",
		here(t), "version") {
		t.Errorf("what was installed prints %q", printed)
	}
}

// A signal to the launcher ends the server cleanly.
func TestLauncherPassesSignalsAndStreams(t *testing.T) {
	project := installed(t, platformName(), "pdpp-mcp")
	command := exec.CommandContext(t.Context(), filepath.Join(project, "node_modules", ".bin", "pdpp-mcp"),
		"stdio", "--provider-url", "http://127.0.0.1:1")
	command.Env = append(os.Environ(), "PDPP_ACCESS_TOKEN=scoped-token-of-a-test")
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},` +
		`"clientInfo":{"name":"test","version":"1"}}}` + "\n"
	if _, err := input.Write([]byte(initialize)); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadBytes('\n')
	if err != nil || !json.Valid(line) || !strings.Contains(string(line), `"serverInfo"`) {
		t.Fatalf("the answer is %q and %v", line, err)
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Errorf("the launcher ended with %v", err)
	}
}

func TestLauncherWithoutItsPlatform(t *testing.T) {
	project := installed(t, "pdpp-mcp")
	printed, err := try(t, project, filepath.Join(project, "node_modules", ".bin", "pdpp-mcp"), "version")
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 78 ||
		!strings.Contains(printed, "@pdpp-mcp/"+platformName()+" is missing") {
		t.Errorf("without its binary the launcher ended with %v and %q", err, printed)
	}
}
