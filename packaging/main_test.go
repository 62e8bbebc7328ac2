package packaging_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binaries is the folder of the real programs, built as users build them.
var binaries string

// binary is the path of the program that most tests run.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "pdpp-mcp")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	binaries, binary = folder, filepath.Join(folder, "pdpp-mcp")
	build := exec.Command("go", "build", "-o", folder, "../cmd/pdpp-mcp", "../cmd/pdpp-mcp-otel")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
