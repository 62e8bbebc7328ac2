package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

func TestADirectoryKeepsWhatHappened(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	dataset := notes(note("a", "2026-01-01T00:00:00Z", "first"), note("b", "2026-01-02T00:00:00Z", "second"))
	s := open(t, dir, dataset)
	if err := s.Delete(t.Context(), connection, "notes", "a"); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), note("b", "2026-01-03T00:00:00Z", "changed")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	again := open(t, dir, dataset)
	if _, err := again.Record(t.Context(), everything, "a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("loading again brought a deleted record back: %v", err)
	}
	b, err := again.Record(t.Context(), everything, "b")
	if err != nil || string(b.Data) != `{"at":"2026-01-03T00:00:00Z","id":"b","text":"changed"}` {
		t.Errorf("loading again gave %s, %v", b.Data, err)
	}
	if hits, err := again.Search(t.Context(), "changed", scope()); err != nil || len(hits) != 1 {
		t.Errorf("search finds %d, %v", len(hits), err)
	}
}

func TestFilesAreForTheOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	open(t, dir, notes(note("a", "2026-01-01T00:00:00Z", "first")))
	for path, want := range map[string]fs.FileMode{dir: 0o700, filepath.Join(dir, "sandbox.db"): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("mode of %s is %o, want %o", filepath.Base(path), info.Mode().Perm(), want)
		}
	}
}

func TestStoresInMemoryAreApart(t *testing.T) {
	open(t, "", notes(note("a", "2026-01-01T00:00:00Z", "first")))
	other := open(t, "", notes())
	if summary, err := other.Summarize(t.Context(), "", everything); err != nil || summary.Count != 0 {
		t.Errorf("a second store has %d records, %v", summary.Count, err)
	}
}

func TestOpenNamesTheDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), filepath.Join(file, "data"))
	if s != nil || !errors.Is(err, fs.ErrNotExist) && err == nil {
		t.Errorf("opened %v, %v", s, err)
	}
}

// Readers and writers work side by side on both kinds of database.
func TestConcurrentUse(t *testing.T) {
	for name, dir := range map[string]string{"memory": "", "directory": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			s := open(t, dir, notes())
			var group sync.WaitGroup
			for worker := range 4 {
				group.Go(func() {
					for i := range 25 {
						key := fmt.Sprintf("%d-%d", worker, i)
						if err := s.Put(t.Context(), note(key, "2026-01-01T00:00:00Z", "word")); err != nil {
							t.Errorf("put: %v", err)
						}
						if _, err := s.Search(t.Context(), "word", scope()); err != nil {
							t.Errorf("search: %v", err)
						}
						if _, _, err := s.Page(t.Context(), everything, true, nil, 5); err != nil {
							t.Errorf("page: %v", err)
						}
					}
				})
			}
			group.Wait()
			versions, err := s.Versions(t.Context(), connection, "notes")
			if err != nil || versions.Current != 100 {
				t.Errorf("100 changes count as %d, %v", versions.Current, err)
			}
		})
	}
}

func TestWhatCannotBeStored(t *testing.T) {
	s := open(t, "", notes())
	foreign := note("a", "2026-01-01T00:00:00Z", "")
	foreign.Stream = "letters"
	var undeclared *store.UndeclaredError
	if err := s.Put(t.Context(), foreign); !errors.As(err, &undeclared) || undeclared.Stream != "letters" {
		t.Errorf("undeclared stream: %v", err)
	}
	for name, record := range map[string]catalog.Record{
		"array":    raw("a", `[1]`),
		"null":     raw("a", `null`),
		"cut off":  raw("a", `{"id":`),
		"no key":   raw("", `{}`),
		"no bytes": raw("a", ``),
	} {
		var refused *store.DataError
		if err := s.Put(t.Context(), record); !errors.As(err, &refused) || refused.Key != record.Key {
			t.Errorf("%s: %v", name, err)
		}
	}
	if summary, err := s.Summarize(t.Context(), "", everything); err != nil || summary.Count != 0 {
		t.Errorf("refused records leave %d behind, %v", summary.Count, err)
	}
}

func scope() []store.SearchScope {
	return []store.SearchScope{{Selection: everything, Fields: []string{"text", "tags"}}}
}

func TestBucket(t *testing.T) {
	for _, test := range []struct{ at, granularity, zone, want string }{
		{"2026-05-17T13:45:30Z", "minute", "UTC", "2026-05-17T13:45"},
		{"2026-05-17T13:45:30Z", "hour", "Asia/Kolkata", "2026-05-17T19:00"},
		{"2026-05-17T23:45:30Z", "day", "Europe/Berlin", "2026-05-18"},
		{"2026-05-17T13:45:30Z", "week", "UTC", "2026-05-11"}, // a Sunday
		{"2026-01-01T00:00:00Z", "week", "UTC", "2025-12-29"},
		{"2026-05-17T13:45:30Z", "month", "UTC", "2026-05-01"},
		{"2026-05-17T13:45:30Z", "quarter", "UTC", "2026-04-01"},
		{"2026-01-01T00:00:00Z", "year", "America/New_York", "2025-01-01"},
		// Clocks go back at 01:00 UTC: two hours of that night are both called 2 o'clock, and counted together.
		{"2026-10-25T00:30:00Z", "hour", "Europe/Berlin", "2026-10-25T02:00"},
		{"2026-10-25T01:30:00Z", "hour", "Europe/Berlin", "2026-10-25T02:00"},
	} {
		at, err := time.Parse(time.RFC3339, test.at)
		if err != nil {
			t.Fatal(err)
		}
		zone, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := store.Bucket(at, test.granularity, zone); got != test.want {
			t.Errorf("Bucket(%s, %s, %s) = %s, want %s", test.at, test.granularity, test.zone, got, test.want)
		}
	}
}
