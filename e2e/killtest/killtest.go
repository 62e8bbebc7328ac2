// Package killtest kills a writer while it works, so that a test can check what it leaves behind.
// Only tests import it.
package killtest

import (
	"bufio"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"
)

const variable = "PDPP_KILLTEST_DIRECTORY"

// Directory returns where the writer works, and reports whether this process is the writer. The test that calls
// Writer calls it first.
func Directory() (string, bool) {
	directory := os.Getenv(variable)
	return directory, directory != ""
}

// Writer runs the running test again in a new process, which gets the directory from Directory and prints a line for
// each finished step. Within the given time after the first line, Writer kills it with SIGKILL, and returns the last
// complete line.
func Writer(t *testing.T, directory string, within time.Duration) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	command.Env = append(os.Environ(), variable+"="+directory)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var killing *time.Timer
	last, lines := "", bufio.NewScanner(output)
	for lines.Scan() {
		if last = lines.Text(); killing == nil {
			killing = time.AfterFunc(rand.N(within), func() { _ = command.Process.Kill() })
		}
	}
	if killing == nil {
		t.Fatal("the writer has finished nothing")
	}
	if err := command.Wait(); err == nil {
		t.Fatal("the writer ended by itself")
	}
	return last
}
