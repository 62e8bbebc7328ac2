package tool

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// step is what a model can do after the RS said no (R-ERR-1): in words, and as a call of schema where
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
	arguments.text("stream", c.stream)
	arguments.text("connection_id", c.connectionID)
	call := rawjson.Object{rawjson.String("tool", "schema"), rawjson.Raw("arguments", arguments.Encode())}
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

// Advice that several codes share.
const (
	changeArguments = "Change or leave out what the message names; schema shows what this stream supports and the grant covers."
	newApproval     = "No change of arguments helps. Tell the user that the owner must approve access again, then connect anew."
	broaderGrant    = "The grant does not cover this. Leave it out, or tell the user that the owner must approve a broader grant that covers it."
	nameSource      = "Repeat the call with connection_id set to one of available_connections."
)

// adviceFor holds what to do after each code of the RS (rs-contract.md, Envelopes).
var adviceFor = map[string]advice{
	"invalid_request":    {atStream, changeArguments},
	"invalid_argument":   {atStream, changeArguments},
	"invalid_expand":     {atStream, "Expand only relations that schema lists in expand_capabilities, within their max_limit."},
	"invalid_sort":       {atStream, "Sort only by what schema advertises for this stream, or leave sort and order out."},
	"invalid_filter":     {atStream, "Filter only on fields that schema shows as filterable, with their operators, or leave filter out."},
	"unsupported_query":  {atStream, changeArguments},
	"unknown_field":      {atStream, "Use only field names that schema lists for this stream."},
	"invalid_field_path": {atStream, "field_path must name a text field that schema lists for this stream."},
	"invalid_window":     {nowhere, "limit_chars is 1 to 16384, offset_chars at least 0, before_chars and after_chars at most 8192; q excludes offset_chars."},
	"invalid_cursor": {nowhere, "Repeat the call without cursor to begin again; between pages change no other argument. " +
		`changes_since must be "beginning" or a next_changes_since exactly as it was shown.`},
	"unsupported_version": {nowhere, "No change of arguments helps. The operator must bring adapter and resource server to the same PDPP version."},

	"authentication_error":          {nowhere, newApproval},
	"context.active_false":          {nowhere, newApproval},
	"context.authentication_failed": {nowhere, newApproval},
	"context.stream_not_allowed": {atEverything, "The grant holds no stream of that name. Choose one from schema, or tell the user that " +
		"the owner must approve a broader grant that covers it."},
	"context.instance_mismatch": {atEverything, "The grant holds no connection of that id. Take a connection_id from schema, or tell the user that " +
		"the owner must approve a broader grant that covers it."},

	"permission_error":         {nowhere, broaderGrant},
	"insufficient_scope":       {nowhere, broaderGrant},
	"needs_broader_grant":      {atEverything, broaderGrant},
	"field_not_granted":        {atStream, broaderGrant + " schema lists the granted fields."},
	"grant_stream_not_allowed": {atEverything, broaderGrant + " schema lists the granted streams."},
	"grant_revoked":            {nowhere, newApproval},
	"grant_expired":            {nowhere, newApproval},
	"package_revoked":          {nowhere, newApproval},

	"not_found":            {nowhere, "Check the names with schema and pass ids as they were shown. The record may be deleted or outside the grant."},
	"connection_not_found": {atEverything, "Take a connection_id from schema."},
	"blob_not_found":       {nowhere, "The blob is deleted or outside the grant; read the record that refers to it again."},
	"query_not_found":      {nowhere, "q does not occur in this field. Try a shorter q, or leave q out to read from the beginning."},

	"ambiguous_connection":      {nowhere, nameSource},
	"ambiguous_schema_detail":   {nowhere, nameSource},
	"cursor_expired":            {nowhere, "The place in the feed is gone. Read all records again without changes_since and cursor, page by page."},
	"field_not_text":            {nowhere, "Only text fields have windows. Call fetch with the record's id and fields naming this field."},
	"request_too_large":         {nowhere, "Ask for less: a smaller limit, or fewer fields."},
	"response_too_large":        {nowhere, "Ask for less: a smaller limit, or fewer fields."},
	"rate_limit_exceeded":       {nowhere, "Wait as long as retry_after says, then repeat the call."},
	"authorization_unavailable": {nowhere, "Wait, then repeat the call."},
}

// stepAfter is what to do about a refusal: what retry_with asks for, else what goes with its code, else
// what goes with its status.
func stepAfter(refused *rs.Error, members object) step {
	retryWith := members.Text("retry_with")
	known, found := adviceFor[refused.Code]
	switch {
	case retryWith == "connection_id" && members.Get("available_connections") != nil:
		known = advice{nowhere, nameSource}
	case retryWith == "connection_id":
		known = advice{atEverything, "Repeat the call with a connection_id from schema."}
	case !found:
		known = adviceForStatus(refused.Status)
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
		return advice{nowhere, "The resource server failed. Repeat the call later; if it fails again, its operator must look."}
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
	return stream, parsed.Query().Get("connection_id")
}
