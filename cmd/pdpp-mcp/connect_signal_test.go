package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// Ctrl-C before the owner has decided ends connect with 130. No file is stored or left over.
func TestSignalsEndConnect(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // Windows sends no such signals
	}
	provider := newProvider(t)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			root := t.TempDir()
			command := exec.CommandContext(t.Context(), "pdpp-mcp", "connect", provider, "--cache-root", root, "--no-browser")
			stderr, err := command.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(stderr)
			for lines.Scan() && !strings.HasPrefix(lines.Text(), "Waiting") {
			}
			if err := command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			last := ""
			for lines.Scan() {
				last = lines.Text()
			}
			var exit *exec.ExitError
			if err := command.Wait(); !errors.As(err, &exit) || exit.ExitCode() != invocation.ExitInterrupted {
				t.Errorf("ended with %v, want %d", err, invocation.ExitInterrupted)
			}
			if last != "pdpp-mcp: interrupted; nothing was stored" {
				t.Errorf("the last line is %q", last)
			}
			if files, err := os.ReadDir(filepath.Join(root, "clients")); err != nil || len(files) > 0 {
				t.Errorf("the cache holds %v and gives %v, want neither", files, err)
			}
		})
	}
}
