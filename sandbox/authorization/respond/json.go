// Package respond writes the answers of the sandbox's authorization server: JSON that is not stored,
// errors in the shapes that PDPP and OAuth have, and what lets web pages of other origins read them.
package respond

import (
	"encoding/json"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/opaque"
)

// JSON forbids storing: an answer may hold tokens. A client that hung up gets nothing.
func JSON(w http.ResponseWriter, status int, body any) {
	header := w.Header()
	if header.Get("Request-Id") == "" {
		header.Set("Request-Id", opaque.ID("req_"))
	}
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Pragma", "no-cache")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
