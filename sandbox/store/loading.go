package store

import (
	"context"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// loading adds many records in one transaction. It reads the existing keys once, counts versions itself, and writes
// the full-text index last: FTS5 flushes its buffer at every statement that needs a savepoint, which a plain insert
// does not.
type loading struct {
	tx       *transaction
	known    map[recordName]bool
	versions map[streamName]int64
	counted  map[streamName]bool // versions that were added to
	searched []searchedField
}

func startLoading(ctx context.Context, tx *transaction) (*loading, error) {
	l := &loading{tx: tx, known: map[recordName]bool{}, versions: map[streamName]int64{}, counted: map[streamName]bool{}}
	var name recordName
	err := l.tx.each(ctx, `SELECT connection_id, stream, key FROM record`, func() { l.known[name] = true },
		&name.connectionID, &name.stream, &name.key)
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	var stream streamName
	var version int64
	err = l.tx.each(ctx, `SELECT connection_id, stream, version FROM stream_version`,
		func() { l.versions[stream] = version },
		&stream.connectionID, &stream.stream, &version)
	if err != nil {
		return nil, fmt.Errorf("list versions: %w", err)
	}
	return l, nil
}

// add stores a record unless its key exists.
func (l *loading) add(ctx context.Context, record catalog.Record, stream catalog.Stream) error {
	name := recordName{record.ConnectionID, record.Stream, record.Key}
	if l.known[name] {
		return nil
	}
	l.known[name] = true
	counter := streamName{record.ConnectionID, record.Stream}
	l.versions[counter]++
	l.counted[counter] = true
	if !record.DeletedAt.IsZero() {
		_, err := l.tx.exec(ctx, `
			INSERT INTO record (connection_id, stream, key, version, position, emitted_at, deleted_at)
			VALUES (?, ?, ?, ?, '', ?, ?)`,
			record.ConnectionID, record.Stream, record.Key, l.versions[counter],
			instantText(record.EmittedAt), instantText(record.DeletedAt))
		if err != nil {
			return fmt.Errorf("store tombstone of record %q: %w", record.Key, err)
		}
		return nil
	}
	r, err := rowOf(record, stream)
	if err != nil {
		return err
	}
	return l.insert(ctx, r, l.versions[counter])
}

func (l *loading) insert(ctx context.Context, r row, version int64) error {
	result, err := l.tx.exec(ctx, `
		INSERT INTO record (connection_id, stream, key, version, position, consent_time, data, emitted_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		r.record.ConnectionID, r.record.Stream, r.record.Key, version, r.position, r.consent, r.data,
		instantText(r.record.EmittedAt))
	if err != nil {
		return fmt.Errorf("store record %q: %w", r.record.Key, err)
	}
	id, err := result.LastInsertId()
	if err != nil {
		return fmt.Errorf("store record %q: %w", r.record.Key, err)
	}
	fields, err := nameText(ctx, l.tx, id, r)
	if err != nil {
		return err
	}
	l.searched = append(l.searched, fields...)
	return nil
}

// finish writes the versions and the full-text index.
func (l *loading) finish(ctx context.Context) error {
	for stream := range l.counted {
		_, err := l.tx.exec(ctx, `
			INSERT INTO stream_version (connection_id, stream, version) VALUES (?, ?, ?)
			ON CONFLICT (connection_id, stream) DO UPDATE SET version = excluded.version`,
			stream.connectionID, stream.stream, l.versions[stream])
		if err != nil {
			return fmt.Errorf("count version: %w", err)
		}
	}
	return indexText(ctx, l.tx, l.searched)
}
