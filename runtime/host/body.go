package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// MaxRequestBody bounds the body of a request, in bytes (interfaces.md, Hosted routes).
const MaxRequestBody = 256 << 10

// bodyWithin is how long a client may take to send a body, unless the options say otherwise.
const bodyWithin = 10 * time.Second

// limitReading gives the client so long for the body of its request. Package http ends the limit with the
// body, so that it does not bound the answer; where there is none, the limit would end the request. A writer
// that cannot tell its connection is one without a connection.
func limitReading(w http.ResponseWriter, r *http.Request, within time.Duration) {
	if r.Body == http.NoBody {
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(within))
}

// readBody takes a whole body and puts it back for the SDK, which reads it at once too. It gives the body, which
// is JSON, and the number of messages in it, which is more than one in a batch (JSON-RPC 2.0, section 6).
func readBody(w http.ResponseWriter, r *http.Request) (body []byte, messages int, refused *problem) {
	if r.ContentLength > MaxRequestBody {
		return nil, 0, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequestBody))
	var excess *http.MaxBytesError
	switch {
	case errors.As(err, &excess):
		return nil, 0, tooLarge
	case err != nil:
		return nil, 0, unreadable
	case !rawjson.Valid(body):
		return nil, 0, notJSON
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if bytes.TrimLeft(body, " \t\r\n")[0] != '[' {
		return body, 1, nil
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(body, &batch); err != nil {
		return nil, 0, notJSON
	}
	return body, max(1, len(batch)), nil
}
