package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/killtest"
	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/audit"
)

// Covers R-OPS-2: a process is killed while it writes. Every line is whole, and no finished line is missing.
func TestKilledWhileWriting(t *testing.T) {
	timetest.WithoutRace(t)
	if directory, writer := killtest.Directory(); writer {
		accountForever(filepath.Join(directory, "calls.jsonl"))
	}
	kills := 500
	if testing.Short() {
		kills = 20
	}
	for range kills {
		path := filepath.Join(t.TempDir(), "calls.jsonl")
		written, err := strconv.Atoi(killtest.Writer(t, filepath.Dir(path), 5*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		found := requests(t, path)
		for i, request := range found {
			if request != strconv.Itoa(i+1) {
				t.Fatalf("line %d is of %q", i, request)
			}
		}
		// One more line may have been written before it was reported.
		if len(found) != written && len(found) != written+1 {
			t.Fatalf("%d lines after the %dth was finished", len(found), written)
		}
		for _, each := range append(rotated(t, path), path) {
			wholeLines(t, each)
		}
	}
}

func accountForever(path string) {
	logger, _ := logged()
	log := audit.NewFile(path, audit.Limits{FileBytes: 2_000, Files: 1 << 20, Age: time.Hour}, logger)
	for number := 1; ; number++ {
		record(log, strconv.Itoa(number))
		fmt.Println(number)
	}
}

func wholeLines(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		if os.IsNotExist(err) { // it was killed between two files
			return
		}
		t.Fatal(err)
	}
	for line := range bytes.Lines(content) {
		if !bytes.HasSuffix(line, []byte("}\n")) || !json.Valid(line) {
			t.Fatalf("%s holds %q", path, line)
		}
	}
}

// rotated returns the files other than the current one.
func rotated(t *testing.T, path string) []string {
	t.Helper()
	paths, err := filepath.Glob(strings.TrimSuffix(path, ".jsonl") + "-*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
