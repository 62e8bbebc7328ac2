package soak_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// oracle computes the expected answers with SQL over the sandbox's tables.
type oracle struct{ db *sql.DB }

// column reads one column of texts.
func (o oracle) column(ctx context.Context, query string, values ...any) ([]string, error) {
	rows, err := o.db.QueryContext(ctx, query, values...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	defer rows.Close()
	var texts []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, fmt.Errorf("%s: %w", query, err)
		}
		texts = append(texts, text)
	}
	return texts, rows.Err()
}

// keys returns the record keys of a page of one stream of one connection, newest first.
func (o oracle) keys(ctx context.Context, in place, limit, offset int) ([]string, error) {
	return o.column(ctx, `SELECT key FROM record WHERE connection_id = ? AND stream = ? AND deleted_at IS NULL
		ORDER BY position DESC, key DESC LIMIT ? OFFSET ?`, in.connection, in.stream, limit, offset)
}

// count returns how many records a stream of a connection has.
func (o oracle) count(ctx context.Context, in place) (string, error) {
	counted, err := o.column(ctx,
		"SELECT count(*) FROM record WHERE connection_id = ? AND stream = ? AND deleted_at IS NULL", in.connection, in.stream)
	return strings.Join(counted, ""), err
}

// value returns a field of a record as text.
func (o oracle) value(ctx context.Context, in place, key, field string) (string, error) {
	values, err := o.column(ctx, fmt.Sprintf(`SELECT coalesce(json_extract(data, '$.%s'), '') FROM record
		WHERE connection_id = ? AND stream = ? AND key = ?`, field), in.connection, in.stream, key)
	return strings.Join(values, ""), err
}

// handles returns the ids of all records that hold a word, in connections.
func (o oracle) handles(ctx context.Context, word string, connections []string) (map[string]bool, error) {
	var values []any
	values = append(values, word)
	for _, connection := range connections {
		values = append(values, connection)
	}
	found, err := o.column(ctx,
		`SELECT DISTINCT record.connection_id || '/' || record.stream || ':' || record.key FROM searchable_text
		JOIN searchable ON searchable.id = searchable_text.rowid JOIN record ON record.id = searchable.record_id
		WHERE searchable_text MATCH ? AND deleted_at IS NULL
		AND record.connection_id IN (?`+strings.Repeat(",?", len(connections)-1)+`)`, values...)
	handles := make(map[string]bool, len(found))
	for _, handle := range found {
		handles[handle] = true
	}
	return handles, err
}

// streams returns the names of the streams of connections.
func (o oracle) streams(ctx context.Context, connection string) ([]string, error) {
	return o.column(ctx, "SELECT DISTINCT stream FROM record WHERE connection_id = ?", connection)
}
