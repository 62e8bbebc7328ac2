package resource

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// The sessions that a page cursor can belong to.
const (
	recordsSession = "records"
	changesSession = "changes"
)

// pageCursor is the position at which the next page of a records list or a change feed starts. Clients see it as opaque
// text.
//
// It is not bound to its request, apart from the direction. As on real servers, a request with other filters, or for
// another connection or stream, continues from the same position.
type pageCursor struct {
	Kind    string `json:"kind"` // "page"
	Session string `json:"session"`

	Order string   `json:"order,omitempty"` // records: ASC or DESC
	Value string   `json:"cursor_value,omitempty"`
	Key   []string `json:"primary_key,omitempty"` // records: the key of the last record

	After   int64 `json:"after_version,omitempty"` // changes: version of the last change
	Through int64 `json:"session_max_version,omitempty"`
}

func (p pageCursor) position() *store.Position {
	return &store.Position{Value: p.Value, Key: strings.Join(p.Key, "")}
}

// feedCursor is a position in a change feed, as in next_changes_since.
type feedCursor struct {
	Kind    string `json:"kind"` // "changes_since"
	Version int64  `json:"version"`
}

func encodeCursor(cursor any) (string, error) {
	text, err := json.Marshal(cursor)
	return base64.URLEncoding.EncodeToString(text), err
}

func decodePageCursor(text string) (pageCursor, error) {
	var cursor pageCursor
	if !decodeCursor(text, &cursor) || cursor.Kind != "page" ||
		cursor.Session != recordsSession && cursor.Session != changesSession {
		return pageCursor{}, invalid("invalid_cursor", "Malformed cursor")
	}
	return cursor, nil
}

func decodeFeedCursor(text string) (feedCursor, error) {
	var cursor feedCursor
	if !decodeCursor(text, &cursor) || cursor.Kind != "changes_since" || cursor.Version < 0 {
		return feedCursor{}, invalid("invalid_cursor",
			"Malformed changes_since cursor; pass `beginning` to bootstrap or the "+
				"`next_changes_since` value returned by a prior /v1/streams/{stream}/records response")
	}
	return cursor, nil
}

// decodeCursor decodes a cursor, with or without padding.
func decodeCursor(text string, cursor any) bool {
	decoded, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	return err == nil && json.Unmarshal(decoded, cursor) == nil
}

func digest(parts ...string) string {
	text, _ := json.Marshal(parts) // strings always marshal
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
