package errorcode

import (
	"net/http"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// providerSection is the codes of resource servers, as far as they are known (docs/provider-contract.md, Envelopes). They are an
// open set: a provider may send others, and every one is passed on as it was sent.
var providerSection = Section{
	Title: "A tool says no: the provider",
	Keyed: "code",
	Intro: "The result has `isError`, and `error` is the provider's own object with the status in `http_status`.\n" +
		"Tell the provider's operator the `request_id`. A provider may send codes that are not listed here. If it sends none, the adapter\n" +
		"derives one from the status, such as `not_found` or `api_error`.",
	Entries: slices.Concat(requestEntries, accessEntries, absentEntries),
}

// requestEntries are about what was asked.
var requestEntries = []Entry{
	{
		Code: rs.CodeInvalidRequest, Status: http.StatusBadRequest,
		Meaning: "The provider does not take the request; some refuse `filter`, `view` or `expand` altogether.",
		Next:    "Do what its message says; `schema` with the stream shows what is supported.",
	},
	{
		Code: "invalid_cursor", Status: http.StatusBadRequest,
		Meaning: "The cursor is not one of this list, or the other arguments have changed.",
		Next:    "Begin again without `cursor`; pass a cursor with the same arguments.",
	},
	{
		Code: "cursor_expired", Status: http.StatusGone,
		Meaning: "The provider no longer keeps the position of the cursor or `changes_since`.",
		Next:    "Read the stream anew from its beginning, and take the new `next_changes_since`.",
	},
	{
		Code: "invalid_expand", Status: http.StatusBadRequest,
		Meaning: "The stream does not have the relation.",
		Next:    "Call `schema` with the stream.",
	},
	{
		Code: "invalid_sort", Status: http.StatusBadRequest,
		Meaning: "The stream is not sorted by that field.",
		Next:    "Use the field that `sort:` of `schema` names.",
	},
	{
		Code: "unknown_field", Status: http.StatusBadRequest,
		Meaning: "The stream has no field of that name.",
		Next:    "Take a name from `schema` with the stream.",
	},
	{
		Code: "invalid_field_path", Status: http.StatusBadRequest,
		Meaning: "The field's path is malformed.",
		Next:    "Take the path from a `next:` line.",
	},
	{
		Code: "invalid_window", Status: http.StatusBadRequest,
		Meaning: "The arguments of a window contradict each other, or one is out of range.",
		Next:    "Take the arguments of a `next:` line.",
	},
	{
		Code: "invalid_argument", Status: http.StatusBadRequest,
		Meaning: "The arguments are not supported together, such as `changes_since` over several connections.",
		Next:    "Do what its message says.",
	},
	{
		Code: "unsupported_version", Status: http.StatusBadRequest,
		Meaning: "The provider does not speak this version of the protocol.",
		Next:    "The operator installs a release of pdpp-mcp that supports it.",
	},
	{
		Code: "field_not_text", Status: http.StatusUnprocessableEntity,
		Meaning: "The field holds neither text nor a file.",
		Next:    "Read the field with `fetch`.",
	},
	{
		Code: "invalid_state", Status: http.StatusConflict,
		Meaning: "The state does not allow this: a disabled subscription sends no test event.",
		Next:    "Check its status with `pdpp-mcp subscriptions show`, and enable it first.",
	},
	{
		Code: "ambiguous_connection", Status: http.StatusConflict,
		Meaning: "Several sources have the record or the stream.",
		Next:    "Call again with the `connection_id` of one of `available_connections`.",
	},
	{
		Code: "ambiguous_schema_detail", Status: http.StatusConflict,
		Meaning: "A full schema covers one source, and several match.",
		Next:    "Call again with one of `available_connections`.",
	},
	{
		Code: rs.CodeConflict, Status: http.StatusConflict,
		Meaning: "The request does not fit the state of what it names.",
		Next:    "Do what its message says.",
	},
	{
		Code: rs.CodeRequestTooLarge, Status: http.StatusRequestEntityTooLarge,
		Meaning: "The request is too large.",
		Next:    "Send fewer values in `filter`, `fields` or `streams`.",
	},
	{
		Code: rs.CodeUnprocessable, Status: http.StatusUnprocessableEntity,
		Meaning: "The provider understands the request and cannot do it.",
		Next:    "Do what its message says.",
	},
}

// accessEntries are about the token and the grant. Asking again does not help.
var accessEntries = []Entry{
	{
		Code: rs.CodeAuthentication, Status: http.StatusUnauthorized,
		Meaning: "The token is missing, unknown or ended.",
		Next:    "Run `pdpp-mcp connect`; over HTTP, sign in again.",
	},
	{
		Code: "context.active_false", Status: http.StatusUnauthorized,
		Meaning: "The token is unknown, or no longer active.",
		Next:    "Run `pdpp-mcp connect`; over HTTP, sign in again.",
	},
	{
		Code: "context.stream_not_allowed", Status: http.StatusUnauthorized,
		Meaning: "The token does not cover that stream.",
		Next:    "Ask for a stream that `schema` lists, or connect again and have it approved.",
	},
	{
		Code: "context.instance_mismatch", Status: http.StatusUnauthorized,
		Meaning: "The token is for another connection.",
		Next:    "Take a `connection_id` that `schema` lists.",
	},
	{
		Code: "grant_invalid", Status: http.StatusForbidden,
		Meaning: "The grant of the token is malformed, or its kind does not allow this, such as an event subscription with a package token.",
		Next:    "Connect again with a grant of one connection. If the error stays, tell the provider's operator.",
	},
	{
		Code:    "authorization_state.unsupported_legacy_shape",
		Meaning: "The provider stored the grant in an old form that it no longer reads.",
		Next:    "Run `pdpp-mcp connect`; the owner approves a new grant.",
	},
	{
		Code:    "grant_time_range_exceeded",
		Meaning: "The grant covers a range of time, and the request goes beyond it.",
		Next:    "Ask for records within the range; the owner can approve a longer one.",
	},
	{
		Code: "grant_revoked", Status: http.StatusForbidden,
		Meaning: "The owner has ended the grant.",
		Next:    "Connect again, if the owner agrees.",
	},
	{
		Code: "grant_expired", Status: http.StatusForbidden,
		Meaning: "The grant has reached its end.",
		Next:    "Run `pdpp-mcp connect`; the owner approves again.",
	},
	{
		Code: "grant_stream_not_allowed", Status: http.StatusForbidden,
		Meaning: "The grant does not cover the stream.",
		Next:    "The owner can approve a broader grant.",
	},
	{
		Code: "field_not_granted", Status: http.StatusForbidden,
		Meaning: "The grant does not cover the field.",
		Next:    "Leave the field out; the owner can approve a broader grant.",
	},
	{
		Code: "field_not_found", Status: http.StatusNotFound,
		Meaning: "The record has no such field.",
		Next:    "Use a field that the record or schema shows.",
	},
	{
		Code: "insufficient_scope", Status: http.StatusForbidden,
		Meaning: "The token is not for this kind of request.",
		Next:    "Connect again; the owner approves what is missing.",
	},
	{
		Code: rs.CodePermission, Status: http.StatusForbidden,
		Meaning: "The grant does not cover this.",
		Next:    "The owner can approve a broader grant.",
	},
	{
		Code: "package_revoked", Status: http.StatusForbidden,
		Meaning: "The package of grants has ended.",
		Next:    "The owner approves the sources again; then sign in again.",
	},
}

// absentEntries are about what is not there, and about a provider in trouble.
var absentEntries = []Entry{
	{
		Code: rs.CodeNotFound, Status: http.StatusNotFound,
		Meaning: "There is no such record or stream, or the grant does not let it be seen.",
		Next:    "Check the names with `schema` and the id with `search`.",
	},
	{
		Code: "connection_not_found", Status: http.StatusNotFound,
		Meaning: "The grant has no such connection.",
		Next:    "Take a `connection_id` that `schema` lists.",
	},
	{
		Code: "blob_not_found", Status: http.StatusNotFound,
		Meaning: "There is no such blob.",
		Next:    "Take its id from the record, such as `blob_ref`.",
	},
	{
		Code: "query_not_found", Status: http.StatusNotFound,
		Meaning: "`q` does not occur in the field.",
		Next:    "Read with `offset_chars`, or look for other words.",
	},
	{
		Code: rs.CodeGone, Status: http.StatusGone,
		Meaning: "The record or page no longer exists.",
		Next:    "Begin again without cursors.",
	},
	{
		Code: rs.CodeRateLimit, Status: http.StatusTooManyRequests,
		Meaning: "The provider limits requests, or two calls of this token are already reading records.",
		Next:    "Wait as long as the message says. The adapter has already waited for a short `Retry-After`.",
	},
	{
		Code: string(tool.SourceUnavailable), Status: http.StatusServiceUnavailable,
		Meaning: "The provider cannot reach the source of this connection.",
		Next:    "Wait as long as the message says, or read other connections.",
	},
	{
		Code:    rs.CodeOther,
		Meaning: "The provider failed, with any other status, and did not say why.",
		Next:    "Try again later; give `request_id` to its operator.",
	},
}
