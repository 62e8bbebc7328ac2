package store_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/killtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// A sandbox with --data-dir is killed while it writes. After a restart the database is sound, and every record
// that was written is there, and as many texts are indexed for search.
func TestKilledWhileItWritesRecords(t *testing.T) {
	if dir, writer := killtest.Directory(); writer {
		writeForever(t, dir)
	}
	for range 8 {
		dir := t.TempDir()
		last, err := strconv.Atoi(killtest.Writer(t, dir, 150*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		s := open(t, dir, notes())
		var sound string
		if err := s.DB().QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&sound); err != nil || sound != "ok" {
			t.Fatalf("integrity: %q %v", sound, err)
		}
		for number := 1; number <= last; number++ {
			entry, err := s.Record(t.Context(), store.Selection{ConnectionID: connection, Stream: "notes"}, keyOf(number))
			if err != nil || string(entry.Data) != string(note(keyOf(number), instantOf(number), wordOf(number)).Data) {
				t.Fatalf("record %d of %d: %v %s", number, last, err, entry.Data)
			}
		}
		for _, table := range []string{"record", "searchable", "searchable_text"} { // each note has one text
			var rows int
			err := s.DB().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&rows)
			if err != nil || rows != last && rows != last+1 {
				t.Errorf("%d rows in %s, %d records were written: %v", rows, table, last, err)
			}
		}
		if err := s.Put(t.Context(), note("after", instantOf(0), "word")); err != nil {
			t.Errorf("the next write: %v", err)
		}
	}
}

func writeForever(t *testing.T, dir string) {
	t.Helper()
	s := open(t, dir, notes())
	for number := 1; ; number++ {
		if err := s.Put(t.Context(), note(keyOf(number), instantOf(number), wordOf(number))); err != nil {
			t.Fatal(err)
		}
		fmt.Println(number)
	}
}

func keyOf(number int) string     { return "n" + strconv.Itoa(number) }
func instantOf(number int) string { return fmt.Sprintf("2026-05-01T00:%02d:00Z", number%60) }
func wordOf(number int) string    { return "word" + strconv.Itoa(number) }
