package resource

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// blobAnswer is an answer that is a blob, not a document.
type blobAnswer struct{ catalog.Blob }

// write sends the whole blob. It ignores Range, as RFC 9110, section 14.2, allows. For HEAD net/http drops the
// body.
func (b blobAnswer) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", b.ContentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(b.Bytes)))
	w.Header().Set("Cache-Control", "private, no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(b.Bytes) // fails only if the client has disconnected
}

// readBlob answers with a blob if the bearer may read a record that refers to it.
func (s *server) readBlob(c *call) (any, error) {
	connectionID, err := c.connectionID()
	if err != nil {
		return nil, err
	}
	if connectionID != "" && len(narrow(c.readable, connectionID, "")) == 0 {
		return nil, connectionNotFound(connectionID)
	}
	if c.isOwner() && c.parameters.value("connector_id") == "" {
		return nil, invalidRequest("connector_id must be a single non-empty string for polyfill owner access")
	}
	blobs, err := s.store.Blobs(c.Context(), c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	for _, blob := range blobs {
		if connectionID != "" && connectionID != blob.ConnectionID {
			continue
		}
		readable, err := s.isReadable(c, blob)
		if err != nil {
			return nil, err
		}
		if readable {
			return blobAnswer{blob}, nil
		}
	}
	return nil, notFound("blob_not_found", "Blob not found")
}

// isReadable reports whether the bearer may read a record that has the blob's id in its data. An owner may read
// every blob of a connection.
func (s *server) isReadable(c *call, blob catalog.Blob) (bool, error) {
	sources := narrow(c.readable, blob.ConnectionID, c.parameters.value("connector_id"))
	if c.isOwner() {
		return len(sources) > 0, nil
	}
	quoted, err := json.Marshal(blob.ID)
	if err != nil {
		return false, fmt.Errorf("quote blob id: %w", err)
	}
	for _, source := range sources {
		entries, err := s.store.Mentions(c.Context(), source.selection(), string(quoted))
		if err != nil {
			return false, err
		}
		for _, entry := range entries {
			visible, err := source.project(entry.Data, nil)
			if err != nil {
				return false, fmt.Errorf("project record %q: %w", entry.Key, err)
			}
			if bytes.Contains(visible, quoted) {
				return true, nil
			}
		}
	}
	return false, nil
}
