// Package killtest kills a writer in the middle of its work, so that a test can look at what it leaves behind.
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

// Directory is where the writer works, and whether this process is the writer. The test that calls Writer asks
// this first.
func Directory() (string, bool) {
	directory := os.Getenv(variable)
	return directory, directory != ""
}

// Writer starts the running test once more in a process of its own, which finds the directory by Directory and
// prints a line for each thing that it has finished. At some moment within the time after the first line it gets
// SIGKILL, which no process can catch. Writer gives the last line that was printed whole.
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
