package store

import (
	"context"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

func putBlob(ctx context.Context, tx *transaction, blob catalog.Blob) error {
	content := blob.Bytes
	if content == nil {
		content = []byte{}
	}
	_, err := tx.exec(ctx, `INSERT OR IGNORE INTO blob (id, connection_id, content_type, bytes) VALUES (?, ?, ?, ?)`,
		blob.ID, blob.ConnectionID, blob.ContentType, content)
	if err != nil {
		return fmt.Errorf("store blob %q: %w", blob.ID, err)
	}
	return nil
}

// Blobs returns the blob with the id in every connection that has it, by connection id.
func (s *Store) Blobs(ctx context.Context, id string) ([]catalog.Blob, error) {
	rows, err := s.db.QueryContext(ctx,
		`SELECT id, connection_id, content_type, bytes FROM blob WHERE id = ? ORDER BY connection_id`, id)
	if err != nil {
		return nil, fmt.Errorf("read blob: %w", err)
	}
	defer rows.Close()
	var blobs []catalog.Blob
	for rows.Next() {
		var blob catalog.Blob
		if err := rows.Scan(&blob.ID, &blob.ConnectionID, &blob.ContentType, &blob.Bytes); err != nil {
			return nil, fmt.Errorf("read blob: %w", err)
		}
		blobs = append(blobs, blob)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read blob: %w", err)
	}
	return blobs, nil
}

// Mentions returns the live records of the selection whose data contains text anywhere.
func (s *Store) Mentions(ctx context.Context, selection Selection, text string) ([]Entry, error) {
	var c clause
	c.add("SELECT " + entryColumns + " FROM record WHERE deleted_at IS NULL AND ")
	selection.where(&c)
	c.add(" AND instr(data, ?) > 0 ORDER BY key", text)
	const all = 1 << 30
	entries, _, err := s.entries(ctx, &c, all)
	return entries, err
}
