package audit_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/audit"
)

// wide has no limit that a test reaches.
var wide = audit.Limits{FileBytes: 1 << 30, Files: 4, Age: 24 * time.Hour}

// logged collects the log messages.
func logged() (*slog.Logger, *bytes.Buffer) {
	var said bytes.Buffer
	return slog.New(slog.NewTextHandler(&said, nil)), &said
}

func record(log *audit.Log, request string) {
	log.Begin(audit.Caller{RequestID: request}, "fetch").End(1, "ok", time.Millisecond)
}

// requests returns the request ids of a log in order.
func requests(t *testing.T, path string) []string {
	t.Helper()
	var found []string
	for entry, err := range audit.Entries(path) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, entry.RequestID)
	}
	return found
}

// Covers R-OPS-2: files and directories are private. The mode of an existing file is narrowed.
func TestFilesArePrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity", "calls.jsonl")
	logger, said := logged()
	record(audit.NewFile(path, wide, logger), "a")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	record(audit.NewFile(path, wide, logger), "b")
	for each, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(each); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", each, info, err)
		}
	}
	if got := requests(t, path); len(got) != 2 || said.Len() > 0 {
		t.Errorf("%v, said %s", got, said)
	}
}

// Covers R-OPS-2: size and number of files are bounded, and the newest lines are kept.
func TestRotationBySize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	logger, said := logged()
	log := audit.NewFile(path, audit.Limits{FileBytes: 1_000, Files: 3, Age: time.Hour}, logger)
	for i := range 100 {
		record(log, fmt.Sprint(i))
	}
	kept := requests(t, path)
	if len(kept) < 10 || len(kept) > 40 || kept[len(kept)-1] != "99" {
		t.Errorf("kept %v", kept)
	}
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(names) != 3 || said.Len() > 0 {
		t.Errorf("%v %v, said %s", names, err, said)
	}
	for _, name := range names {
		if info, err := name.Info(); err != nil || info.Size() > 1_300 || info.Mode().Perm() != 0o600 {
			t.Errorf("%v: %v", info, err)
		}
	}
}

// Covers R-OPS-2: a file is rotated when its first line is too old. Rotated files that are older than the limit are
// removed.
func TestRotationByAge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	logger, _ := logged()
	old := `{"time":"` + time.Now().Add(-30*time.Hour).UTC().Format(time.RFC3339) +
		`","tool":"fetch","request_id":"old"}` + "\n"
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	limits := audit.Limits{FileBytes: 1 << 20, Files: 4, Age: 48 * time.Hour}
	record(audit.NewFile(path, limits, logger), "new")
	ended := rotated(t, path)
	if got := requests(t, path); len(ended) != 1 || strings.Join(got, " ") != "old new" {
		t.Fatalf("%v %v", ended, got)
	}
	long := time.Now().Add(-49 * time.Hour)
	if err := os.Chtimes(ended[0], long, long); err != nil {
		t.Fatal(err)
	}
	audit.NewFile(path, limits, logger)
	if got := requests(t, path); strings.Join(got, " ") != "new" {
		t.Errorf("%v", got)
	}
}

// Covers R-OPS-2: several writers of one path lose nothing when one of them rotates the file.
func TestSeveralWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	limits := audit.Limits{FileBytes: 4_000, Files: 1_000, Age: time.Hour}
	const writers, lines = 8, 200
	var all sync.WaitGroup
	for writer := range writers {
		log := audit.NewFile(path, limits, slog.New(slog.NewTextHandler(t.Output(), nil)))
		all.Go(func() {
			for line := range lines {
				record(log, fmt.Sprintf("%d/%d", writer, line))
			}
		})
	}
	all.Wait()
	kept := make(map[string]bool)
	for _, request := range requests(t, path) {
		kept[request] = true
	}
	if len(kept) != writers*lines {
		t.Errorf("%d of %d lines are there", len(kept), writers*lines)
	}
}

// Covers R-OPS-2: an incomplete line of a full disk is skipped. No other line is lost.
func TestTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	logger, _ := logged()
	record(audit.NewFile(path, wide, logger), "a")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"time":"2026-11-22T12:00:00Z","tool":"fe`); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	record(audit.NewFile(path, wide, logger), "b")
	if got := requests(t, path); strings.Join(got, " ") != "a b" {
		t.Errorf("%v", got)
	}
}

// brokenStream fails like a full disk until it is repaired.
type brokenStream struct {
	bytes.Buffer
	isBroken bool
}

func (b *brokenStream) Write(line []byte) (int, error) {
	if b.isBroken {
		return 0, errors.New("no space left on device")
	}
	return b.Buffer.Write(line)
}

// Covers R-OPS-2: a log that cannot be written stops no call. It is reported once, and writing resumes when it can.
func TestFailureIsLoggedOnce(t *testing.T) {
	logger, said := logged()
	stream := &brokenStream{isBroken: true}
	log := audit.NewStream(stream, logger)
	lost := 0
	log.Lost = func() { lost++ }
	for range 5 {
		record(log, "lost")
	}
	if count := strings.Count(said.String(), "cannot be written"); count != 1 {
		t.Errorf("said %d times: %s", count, said)
	}
	stream.isBroken = false
	record(log, "kept")
	if lost != 5 || !strings.Contains(said.String(), "lines_lost=5") || strings.Count(stream.String(), "\n") != 1 {
		t.Errorf("%s, written %s", said, stream)
	}
}

// Covers R-OPS-2: a directory that cannot be written, and a path of something other than a file.
func TestUnusablePaths(t *testing.T) {
	directory := t.TempDir()
	occupied := filepath.Join(directory, "occupied")
	if err := os.WriteFile(occupied, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(directory, "link")
	if err := os.Symlink(occupied, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(occupied, "calls.jsonl"), directory, link, "/proc/nowhere/calls.jsonl"} {
		logger, said := logged()
		log := audit.NewFile(path, wide, logger)
		record(log, "lost")
		record(log, "lost")
		if count := strings.Count(said.String(), "cannot be written"); count != 1 {
			t.Errorf("%s: said %d times: %s", path, count, said)
		}
	}
}
