//go:build packages

// Package check_test tries the output of `make release` as its users would. `make packages` runs it.
package check_test

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// output is the folder into which `make release` writes.
const output = "../../bin/release"

// run runs a program that must succeed and returns its output on both streams.
func run(t *testing.T, folder, name string, arguments ...string) string {
	t.Helper()
	printed, err := try(t, folder, name, arguments...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(arguments, " "), err, printed)
	}
	return printed
}

func try(t *testing.T, folder, name string, arguments ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, arguments...)
	command.Dir = folder
	printed, err := command.CombinedOutput()
	return string(printed), err
}

// released returns the one file of the release that matches a pattern.
func released(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(output, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s fits %q: run make release", pattern, found)
	}
	path, err := filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// here returns the path of the binary for this machine.
func here(t *testing.T) string {
	t.Helper()
	return released(t, "binaries/"+runtime.GOOS+"_"+runtime.GOARCH+"/pdpp-mcp")
}
