package exam_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// tables names, for the SQL of the truths, what the sandbox's one table of records holds.
const tables = `WITH live AS (SELECT connection_id AS account, stream, key, data FROM record WHERE deleted_at IS NULL),
mail AS (SELECT account, key, data->>'from_email' AS from_email, data->>'from_name' AS from_name, data->>'subject' AS subject,
	data->>'received_at' AS received_at, data->>'is_seen' AS is_seen, data->>'size_bytes' AS size_bytes FROM live WHERE stream = 'messages'),
body AS (SELECT account, data->>'message_id' AS mail, data->>'body_text' AS text FROM live WHERE stream = 'message_bodies'),
file AS (SELECT account, data->>'message_id' AS mail, data->>'filename' AS name, data->>'size_bytes' AS size,
	data->>'content_type' AS content_type, data->>'content_sha256' AS digest, data->>'$.blob_ref.blob_id' AS blob_id
	FROM live WHERE stream = 'attachments'),
enclosed AS (SELECT mail, name, CAST(bytes AS TEXT) AS text FROM file JOIN blob ON blob.id = blob_id AND blob.connection_id = account),
chat AS (SELECT account, key, data->>'user_name' AS author, data->>'sent_at' AS sent_at, data->>'text' AS text
	FROM live WHERE stream = 'chat_messages'),
play AS (SELECT account, data->>'artist_name' AS artist, data->>'played_at' AS played_at, data->>'ms_played' AS ms
	FROM live WHERE stream = 'play_history'),
event AS (SELECT data->>'title' AS title, data->>'location' AS location, data->>'starts_at' AS starts_at FROM live WHERE stream = 'events'),
payment AS (SELECT account, data->>'account_id' AS bank_account, data->>'booked_at' AS booked_at, data->>'booked_on' AS booked_on,
	data->>'amount_cents' AS cents FROM live WHERE stream = 'transactions'),
issue AS (SELECT data->>'repository' AS repository, data->>'number' AS number, data->>'author' AS author,
	data->>'closed_at' AS closed_at, data->>'body' AS text FROM live WHERE stream = 'issues')
`

// truth returns the answer by SQL: columns separated by semicolons, one row per line.
func (q question) truth(t *testing.T, provider *journey.Provider) string {
	t.Helper()
	rows, err := provider.Box.Store().DB().QueryContext(t.Context(), tables+q.truths)
	if err != nil {
		t.Fatalf("%s: %v", q.name, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		var cells []string
		for _, value := range values {
			cells = append(cells, fmt.Sprint(*value.(*any)))
		}
		lines = append(lines, strings.Join(cells, "; "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// changeChat deletes a message of the team chat, and writes another anew.
func changeChat(ctx context.Context, records *store.Store) error {
	chat := slices.DeleteFunc(sample.Dataset(1).Records, func(r catalog.Record) bool {
		return r.ConnectionID != sample.TeamChat || r.Stream != "chat_messages" || !r.DeletedAt.IsZero()
	})
	deleted, changed := chat[3], chat[len(chat)/2]
	if err := records.Delete(ctx, deleted.ConnectionID, deleted.Stream, deleted.Key); err != nil {
		return err
	}
	return records.Put(ctx, changed)
}
