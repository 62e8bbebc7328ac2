package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Change is one new version of a stream of a connection.
type Change struct {
	ConnectionID string
	Stream       string
	Version      int64
	EmittedAt    time.Time // of the record; zero for one that was deleted
}

// OnChange sets the function that is called after every committed change, in order and one at a time. It must be quick
// and must not write to the store.
func (s *Store) OnChange(notify func(Change)) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.onChange = notify
}

// Versions are the bounds of a stream's change feed.
type Versions struct {
	Current int64 // of the newest change; 0 when there was none
	Floor   int64 // changes up to this one can no longer be replayed
}

// Versions returns the bounds of the change feed of one stream of one connection.
func (s *Store) Versions(ctx context.Context, connectionID, stream string) (Versions, error) {
	var versions Versions
	err := s.db.QueryRowContext(ctx, `SELECT version, floor FROM stream_version WHERE connection_id = ? AND stream = ?`,
		connectionID, stream).Scan(&versions.Current, &versions.Floor)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Versions{}, fmt.Errorf("read versions: %w", err)
	}
	return versions, nil
}

// Revision returns a number that changes with every change in the store.
func (s *Store) Revision(ctx context.Context) (int64, error) {
	var revision int64
	err := s.db.QueryRowContext(ctx, `SELECT coalesce(sum(version), 0) FROM stream_version`).Scan(&revision)
	if err != nil {
		return 0, fmt.Errorf("read revision: %w", err)
	}
	return revision, nil
}

// Changes returns up to limit records of the selection, tombstones included, that changed after version after and
// up to version through, oldest change first, and reports whether there are more. Each key occurs once, with its
// newest state.
func (s *Store) Changes(ctx context.Context, selection Selection, after, through int64,
	limit int,
) ([]Entry, bool, error) {
	var c clause
	c.add("SELECT " + entryColumns + " FROM record WHERE ")
	selection.where(&c)
	c.add(" AND version > ? AND version <= ? ORDER BY version LIMIT ?", after, through, limit+1)
	return s.entries(ctx, &c, limit)
}

// Prune removes the tombstones of a stream up to version through. Feeds that start before it are expired.
func (s *Store) Prune(ctx context.Context, connectionID, stream string, through int64) error {
	return s.write(ctx, func(tx *transaction) error {
		_, err := tx.exec(ctx, `DELETE FROM record
			WHERE connection_id = ? AND stream = ? AND version <= ? AND deleted_at IS NOT NULL`,
			connectionID, stream, through)
		if err != nil {
			return fmt.Errorf("prune tombstones: %w", err)
		}
		_, err = tx.exec(ctx, `UPDATE stream_version SET floor = max(floor, min(version, ?))
			WHERE connection_id = ? AND stream = ?`, through, connectionID, stream)
		if err != nil {
			return fmt.Errorf("prune tombstones: %w", err)
		}
		return nil
	})
}
