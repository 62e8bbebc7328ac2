package resource

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
)

// searchCursor is the position of a page in the results of a search. The results are computed for each
// page, so a cursor holds only for the state of the store in which it was issued.
type searchCursor struct {
	Offset   int    `json:"off"`
	Snapshot string `json:"snap"`
	Revision int64  `json:"rev"` // of the store
}

// snapshotSigner signs snapshots, so that only those of this server are accepted.
type snapshotSigner struct{ key [32]byte }

func newSnapshotSigner() *snapshotSigner {
	var signer snapshotSigner
	_, _ = rand.Read(signer.key[:]) // never fails (crypto/rand)
	return &signer
}

// snapshot identifies the results of a query at a revision of the store: the query's digest, and a code that only this
// server can compute.
func (s *snapshotSigner) snapshot(query string, revision int64) string {
	code := hmac.New(sha256.New, s.key[:])
	code.Write([]byte(query + " " + strconv.FormatInt(revision, 10)))
	return "snap_" + query + hex.EncodeToString(code.Sum(nil)[:8])
}

// queryOf returns the digest in a snapshot.
func queryOf(snapshot string) string {
	text := strings.TrimPrefix(snapshot, "snap_")
	return text[:len(text)/2]
}

// encode returns the cursor of the page that starts at offset.
func (s *snapshotSigner) encode(offset int, query string, revision int64) (string, error) {
	text, err := json.Marshal(searchCursor{Offset: offset, Snapshot: s.snapshot(query, revision), Revision: revision})
	return base64.RawURLEncoding.EncodeToString(text), err
}

// decode returns the offset in a cursor, which must be for the same query at the same revision.
func (s *snapshotSigner) decode(text, query string, revision int64) (int, error) {
	var cursor searchCursor
	if !decodeCursor(text, &cursor) || cursor.Offset < 0 || cursor.Snapshot == "" {
		return 0, invalid("invalid_cursor", "Cursor is malformed")
	}
	issued := s.snapshot(queryOf(cursor.Snapshot), cursor.Revision)
	if !hmac.Equal([]byte(issued), []byte(cursor.Snapshot)) || cursor.Revision != revision {
		return 0, invalid("invalid_cursor", "Cursor refers to an expired or unknown snapshot")
	}
	if queryOf(cursor.Snapshot) != query {
		return 0, invalid("invalid_cursor", "Cursor does not match this query and grant authority")
	}
	return cursor.Offset, nil
}
