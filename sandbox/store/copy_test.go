package store_test

import (
	"errors"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// A copy holds everything, can be searched and written, and is independent of the source.
func TestCopyIsIndependent(t *testing.T) {
	source := open(t, "", notes(note("a", "2026-01-01T00:00:00Z", "first"), note("b", "2026-01-02T00:00:00Z", "second")))
	duplicate, err := source.Copy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = duplicate.Close() })
	if hits, err := duplicate.Search(t.Context(), "second", scope()); err != nil || len(hits) != 1 {
		t.Errorf("the copy finds %d, %v", len(hits), err)
	}
	if err := duplicate.Delete(t.Context(), connection, "notes", "a"); err != nil {
		t.Fatal(err)
	}
	if err := source.Put(t.Context(), note("c", "2026-01-03T00:00:00Z", "third")); err != nil {
		t.Fatal(err)
	}
	if _, err := source.Record(t.Context(), everything, "a"); err != nil {
		t.Errorf("a deletion in the copy reached the source: %v", err)
	}
	if _, err := duplicate.Record(t.Context(), everything, "c"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a change of the source reached the copy: %v", err)
	}
	if err := duplicate.Put(t.Context(), note("d", "2026-01-04T00:00:00Z", "fourth")); err != nil {
		t.Fatal(err)
	}
	versions, err := duplicate.Versions(t.Context(), connection, "notes")
	if err != nil || versions.Current != 4 {
		t.Errorf("the copy counts version %d after two records, a deletion and a record, %v", versions.Current, err)
	}
}

func TestAStoreInADirectoryIsNotCopied(t *testing.T) {
	if _, err := open(t, t.TempDir(), notes()).Copy(t.Context()); !errors.Is(err, store.ErrInDirectory) {
		t.Errorf("copying gives %v", err)
	}
}
