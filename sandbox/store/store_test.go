package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

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
	if extent, err := other.Extent(t.Context(), "", everything); err != nil || extent.Count != 0 {
		t.Errorf("a second store has %d records, %v", extent.Count, err)
	}
}

func TestOpenNamesADirectoryThatItCannotMake(t *testing.T) {
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
	if extent, err := s.Extent(t.Context(), "", everything); err != nil || extent.Count != 0 {
		t.Errorf("refused records leave %d behind, %v", extent.Count, err)
	}
}

func scope() []store.SearchScope {
	return []store.SearchScope{{Selection: everything, Fields: []string{"text", "tags"}}}
}
