//go:build clients

// Package clients_test runs real MCP clients, and the official conformance suite, against the real programs. The
// clients come from npm at the versions of testdata/package-lock.json; `make test-clients` installs them. They need
// no account and no internet: models are played by servers on loopback.
package clients_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Folders that come first in the PATH of the clients.
var (
	programs string // holds pdpp-mcp, pdpp-sandbox and the conformance fixtures
	packages string // holds what npm installed
)

// pdpp is the provider of all tests, because filling a sandbox takes time.
var pdpp *provider

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := prepare(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func prepare(m *testing.M) (code int, err error) {
	packages, err = filepath.Abs(filepath.Join("testdata", "node_modules", ".bin"))
	if err != nil {
		return 0, fmt.Errorf("find the clients: %w", err)
	}
	if _, err := os.Stat(packages); err != nil {
		return 0, fmt.Errorf("the clients are not installed, run make test-clients: %w", err)
	}
	programs, err = os.MkdirTemp("", "pdpp-clients-")
	if err != nil {
		return 0, fmt.Errorf("make a folder for the programs: %w", err)
	}
	defer os.RemoveAll(programs)
	build := exec.Command("go", "build", "-o", programs, "../../cmd/pdpp-mcp", "../../cmd/pdpp-sandbox")
	if printed, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build the programs: %w\n%s", err, printed)
	}
	sandbox, end, err := startSandbox(programs)
	if err != nil {
		return 0, err
	}
	defer end()
	pdpp = sandbox
	return m.Run(), nil
}
