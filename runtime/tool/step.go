package tool

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// step is what a model can do after a refusal of the RS (R-ERR-1): in words, and as a call of schema where
// that shows what would have been accepted.
type step struct {
	hint   string
	schema *schemaCall
}

// schemaCall is a call of schema, of the stream that was read or of everything.
type schemaCall struct {
	stream       string
	connectionID string
}

// calls is the call as continuations are written: an array of tool and arguments.
func (c schemaCall) calls() json.RawMessage {
	var arguments object
	arguments.text(SchemaStream, c.stream)
	arguments.text(SchemaConnectionID, c.connectionID)
	call := rawjson.Object{rawjson.String("tool", SchemaTool), rawjson.Raw("arguments", arguments.Encode())}
	return rawjson.Array([]json.RawMessage{call.Encode()})
}

// look says which schema answers the question that an error leaves open.
type look int

const (
	nowhere look = iota
	atStream
	atEverything
)

type advice struct {
	look look
	hint string
}

// connectionMember is how the RS names a connection, in its parameters and in its answers.
const connectionMember = "connection_id"

// stepAfter is what to do about a refusal: what retry_with asks for, else what goes with its code, else
// what goes with its status.
func stepAfter(refused *rs.Error, members object) step {
	retryWith := members.Text("retry_with")
	known := adviceOn(refused)
	switch {
	case retryWith == connectionMember && members.Get("available_connections") != nil:
		known = adviceFor[string(AmbiguousConnection)]
	case retryWith == connectionMember:
		known = adviceFor["retry_with."+connectionMember]
	}
	next := step{hint: known.hint}
	switch known.look {
	case atStream:
		stream, connectionID := sourceOf(refused.URL)
		next.schema = &schemaCall{stream: stream, connectionID: connectionID}
	case atEverything:
		next.schema = &schemaCall{}
	}
	return next
}

func adviceOn(refused *rs.Error) advice {
	if known, found := adviceFor[refused.Code]; found {
		return known
	}
	return adviceForStatus(refused.Status)
}

// IsAboutNames reports whether a refusal may be about a name that the schema shows: it is no matter of the login, the load or
// the server's state.
func IsAboutNames(refused *rs.Error) bool {
	return adviceOn(refused).look != nowhere || refused.Status == http.StatusNotFound
}

func adviceForStatus(status int) advice {
	switch {
	case status == http.StatusUnauthorized:
		return adviceFor["authentication_error"]
	case status == http.StatusForbidden:
		return adviceFor["permission_error"]
	case status == http.StatusNotFound:
		return adviceFor["not_found"]
	case status == http.StatusRequestEntityTooLarge:
		return adviceFor["request_too_large"]
	case status == http.StatusTooManyRequests:
		return adviceFor["rate_limit_exceeded"]
	case status >= http.StatusInternalServerError:
		return adviceFor["5xx"]
	}
	return adviceFor["invalid_request"]
}

// sourceOf takes the stream and the connection out of the URL that was read; each is empty when the URL
// names none.
func sourceOf(read string) (stream, connectionID string) {
	parsed, err := url.Parse(read)
	if err != nil || len(read) > urlBytes {
		return "", ""
	}
	segments := strings.Split(parsed.EscapedPath(), "/")
	for i := 0; i+2 < len(segments); i++ {
		if segments[i] == "v1" && segments[i+1] == "streams" {
			stream, _ = url.PathUnescape(segments[i+2]) // the adapter encoded it
		}
	}
	if stream == "" {
		return "", ""
	}
	return stream, parsed.Query().Get(connectionMember)
}
