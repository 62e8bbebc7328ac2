package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// Entry is a stored record with its position in the stream.
type Entry struct {
	catalog.Record
	Position Position
	Version  int64 // counts the changes of the stream
}

const entryColumns = `connection_id, stream, key, version, position, data, emitted_at, deleted_at`

// Page returns up to limit live records of the selection in the order of the stream's cursor field, after the given
// position if it is not nil, and reports whether there are more.
func (s *Store) Page(ctx context.Context, selection Selection, descending bool, after *Position,
	limit int,
) ([]Entry, bool, error) {
	direction, comparison := "ASC", ">"
	if descending {
		direction, comparison = "DESC", "<"
	}
	var c clause
	c.add("SELECT " + entryColumns + " FROM record WHERE deleted_at IS NULL AND ")
	selection.where(&c)
	if after != nil {
		c.add(" AND (position, key) "+comparison+" (?, ?)", after.Value, after.Key)
	}
	c.add(" ORDER BY position "+direction+", key "+direction+" LIMIT ?", limit+1)
	return s.entries(ctx, &c, limit)
}

// Record returns one live record of the selection, or ErrNotFound.
func (s *Store) Record(ctx context.Context, selection Selection, key string) (Entry, error) {
	var c clause
	c.add("SELECT " + entryColumns + " FROM record WHERE deleted_at IS NULL AND ")
	selection.where(&c)
	c.add(" AND key = ?", key)
	entries, _, err := s.entries(ctx, &c, 1)
	if err != nil {
		return Entry{}, err
	}
	if len(entries) == 0 {
		return Entry{}, fmt.Errorf("record %q of stream %q: %w", key, selection.Stream, ErrNotFound)
	}
	return entries[0], nil
}

// entries runs a query for up to limit+1 entries, returns limit of them, and reports whether there was one more.
func (s *Store) entries(ctx context.Context, c *clause, limit int) ([]Entry, bool, error) {
	rows, err := s.db.QueryContext(ctx, c.sql.String(), c.arguments...)
	if err != nil {
		return nil, false, fmt.Errorf("read records: %w", err)
	}
	defer rows.Close()
	entries := []Entry{}
	for rows.Next() {
		entry, err := scanEntry(rows)
		if err != nil {
			return nil, false, fmt.Errorf("read records: %w", err)
		}
		entries = append(entries, entry)
	}
	if err := rows.Err(); err != nil {
		return nil, false, fmt.Errorf("read records: %w", err)
	}
	if len(entries) > limit {
		return entries[:limit], true, nil
	}
	return entries, false, nil
}

func scanEntry(rows interface{ Scan(...any) error }) (Entry, error) {
	var (
		entry              Entry
		data, deleted      sql.NullString
		emitted            string
		emittedAt, endedAt time.Time
	)
	err := rows.Scan(&entry.ConnectionID, &entry.Stream, &entry.Key, &entry.Version, &entry.Position.Value,
		&data, &emitted, &deleted)
	if err != nil {
		return Entry{}, err
	}
	emittedAt, err = storedInstant(emitted)
	if err == nil && deleted.Valid {
		endedAt, err = storedInstant(deleted.String)
	}
	if data.Valid {
		entry.Data = []byte(data.String)
	}
	entry.Position.Key, entry.EmittedAt, entry.DeletedAt = entry.Key, emittedAt, endedAt
	return entry, err
}

// Summary describes the live records of a selection as a whole.
type Summary struct {
	Count       int64
	LastUpdated time.Time // newest EmittedAt; zero when there are no records
	// Earliest and Latest are the values of field in the records at both ends, as they are in the data.
	Earliest, Latest string
}

// Summarize returns the Summary of the live records of the selections. cursorField is the field for Earliest and
// Latest, and may be empty.
func (s *Store) Summarize(ctx context.Context, cursorField string, selections ...Selection) (Summary, error) {
	var c clause
	c.add("WITH seen AS (SELECT position, emitted_at, json_extract(data, ?) AS value FROM record WHERE ",
		jsonPath(cursorField))
	whereLive(&c, selections)
	c.add(`) SELECT count(*), coalesce(max(emitted_at), ''),
		coalesce((SELECT value FROM seen ORDER BY position LIMIT 1), ''),
		coalesce((SELECT value FROM seen ORDER BY position DESC LIMIT 1), '') FROM seen`)
	var summary Summary
	var updated string
	err := s.db.QueryRowContext(ctx, c.sql.String(), c.arguments...).
		Scan(&summary.Count, &updated, &summary.Earliest, &summary.Latest)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Summary{}, fmt.Errorf("measure stream: %w", err)
	}
	if updated != "" {
		if summary.LastUpdated, err = storedInstant(updated); err != nil {
			return Summary{}, fmt.Errorf("measure stream: %w", err)
		}
	}
	return summary, nil
}
