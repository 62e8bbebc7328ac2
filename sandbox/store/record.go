package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// Put stores record under its key as the newest change of its stream, and replaces an earlier version. A record with
// DeletedAt set is stored as a tombstone. Errors: *UndeclaredError, *DataError.
func (s *Store) Put(ctx context.Context, record catalog.Record) error {
	return s.write(ctx, func(tx *transaction) error { return s.put(ctx, tx, record) })
}

// row is a row of the record table.
type row struct {
	record   catalog.Record
	stream   catalog.Stream
	values   map[string]json.RawMessage // by field
	data     string                     // without blanks
	position string
	consent  any // text or nil
}

// rowOf checks a record that is not deleted. Errors: *DataError.
func rowOf(record catalog.Record, stream catalog.Stream) (row, error) {
	if record.Key == "" {
		return row{}, &DataError{Stream: record.Stream, Reason: "the key is empty"}
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(record.Data, &values); err != nil || values == nil {
		return row{}, &DataError{Stream: record.Stream, Key: record.Key, Reason: "the data is not a JSON object", Err: err}
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, record.Data); err != nil {
		return row{}, &DataError{Stream: record.Stream, Key: record.Key, Reason: "the data is not JSON", Err: err}
	}
	return row{
		record: record, stream: stream, values: values, data: compact.String(),
		position: positionValue(values[stream.CursorField]),
		consent:  consentTime(stream, values),
	}, nil
}

func (s *Store) put(ctx context.Context, tx *transaction, record catalog.Record) error {
	stream, err := s.declaration(record.ConnectionID, record.Stream)
	if err != nil {
		return err
	}
	if !record.DeletedAt.IsZero() {
		return putTombstone(ctx, tx, record)
	}
	r, err := rowOf(record, stream)
	if err != nil {
		return err
	}
	version, err := nextVersion(ctx, tx, record)
	if err != nil {
		return err
	}
	var id int64
	err = tx.row(ctx, &id, `
		INSERT INTO record (connection_id, stream, key, version, position, consent_time, data, emitted_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (connection_id, stream, key) DO UPDATE SET
			version = excluded.version, position = excluded.position, consent_time = excluded.consent_time,
			data = excluded.data, emitted_at = excluded.emitted_at, deleted_at = NULL
		RETURNING id`,
		record.ConnectionID, record.Stream, record.Key, version, r.position, r.consent, r.data, instantText(record.EmittedAt))
	if err != nil {
		return fmt.Errorf("store record %q: %w", record.Key, err)
	}
	return replaceText(ctx, tx, id, r)
}

// Delete replaces a record with a tombstone. The error is ErrNotFound if there is no such record.
func (s *Store) Delete(ctx context.Context, connectionID, stream, key string) error {
	return s.write(ctx, func(tx *transaction) error {
		var live bool
		err := tx.row(ctx, &live, `SELECT deleted_at IS NULL FROM record
			WHERE connection_id = ? AND stream = ? AND key = ?`, connectionID, stream, key)
		if errors.Is(err, sql.ErrNoRows) || err == nil && !live {
			return fmt.Errorf("delete record %q of stream %q: %w", key, stream, ErrNotFound)
		}
		if err != nil {
			return fmt.Errorf("delete record %q: %w", key, err)
		}
		now := time.Now()
		return putTombstone(ctx, tx, catalog.Record{
			ConnectionID: connectionID, Stream: stream, Key: key, EmittedAt: now, DeletedAt: now,
		})
	})
}

func putTombstone(ctx context.Context, tx *transaction, record catalog.Record) error {
	version, err := nextVersion(ctx, tx, record)
	if err != nil {
		return err
	}
	var id int64
	err = tx.row(ctx, &id, `
		INSERT INTO record (connection_id, stream, key, version, position, emitted_at, deleted_at)
		VALUES (?, ?, ?, ?, '', ?, ?)
		ON CONFLICT (connection_id, stream, key) DO UPDATE SET
			version = excluded.version, data = NULL, emitted_at = excluded.emitted_at, deleted_at = excluded.deleted_at
		RETURNING id`,
		record.ConnectionID, record.Stream, record.Key, version,
		instantText(record.EmittedAt), instantText(record.DeletedAt))
	if err != nil {
		return fmt.Errorf("store tombstone of record %q: %w", record.Key, err)
	}
	return unindexText(ctx, tx, id)
}

func nextVersion(ctx context.Context, tx *transaction, record catalog.Record) (int64, error) {
	var version int64
	err := tx.row(ctx, &version, `
		INSERT INTO stream_version (connection_id, stream, version) VALUES (?, ?, 1)
		ON CONFLICT (connection_id, stream) DO UPDATE SET version = version + 1
		RETURNING version`, record.ConnectionID, record.Stream)
	if err != nil {
		return 0, fmt.Errorf("count version: %w", err)
	}
	change := Change{ConnectionID: record.ConnectionID, Stream: record.Stream, Version: version}
	if record.DeletedAt.IsZero() {
		change.EmittedAt = record.EmittedAt
	}
	tx.changes = append(tx.changes, change)
	return version, nil
}
