package errorcode

import (
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
)

// hostedSection is the refusals of the hosted server before MCP (docs/interfaces.md, Hosted routes).
var hostedSection = Section{
	Title: "The hosted server says no",
	Keyed: "code",
	Intro: "An HTTP status with `{\"error\":{\"type\",\"code\",\"message\",\"request_id\"}}`, before any tool runs. The operator finds the\n" +
		"line by `request_id`. `401` and `403` of a token come with `WWW-Authenticate`, which names the metadata for signing in.",
	Entries: []Entry{
		{
			Code: auth.CodeAuthentication, Status: http.StatusUnauthorized,
			Meaning: "There is no bearer, or it is unknown, revoked or expired.",
			Next:    "The client signs in again, or refreshes its token.",
		},
		{
			Code: auth.CodePermission, Status: http.StatusForbidden,
			Meaning: "The token is an owner's, of an unknown kind, or for another resource.",
			Next:    "Sign in at this server's own URL. An operator whose tokens name another resource sets `--audience`.",
		},
		{
			Code: auth.CodePackageRevoked, Status: http.StatusForbidden,
			Meaning: "No source of the grant package is active any more.",
			Next:    "Sign in again and approve the sources.",
		},
		{
			Code: auth.CodeUnavailable, Status: http.StatusServiceUnavailable,
			Meaning: "The authorization server gives no usable answer about the token.",
			Next:    "Wait for `Retry-After`. The operator checks `/readyz`, the introspection URL and the client's secret.",
		},
		{
			Code: auth.CodeUnsupported, Status: http.StatusServiceUnavailable,
			Meaning: "The authorization server does not publish the members of the package.",
			Next:    "Sign in with a single source.",
		},
		{
			Code: host.CodeForeignOrigin, Status: http.StatusForbidden,
			Meaning: "A web page of another origin made the request.",
			Next:    "Use an MCP client that is not a web page, or a page of the server's own origin.",
		},
		{
			Code: host.CodeMisdirected, Status: http.StatusMisdirectedRequest,
			Meaning: "The `Host` of the request is not one that the server answers for.",
			Next:    "Use the public URL. The operator sets `--public-url` or `--allowed-host`, often for a proxy that rewrites `Host`.",
		},
		{
			Code: toolcall.CodeInvalidRequest, Status: http.StatusBadRequest,
			Meaning: "The body is truncated, too slow or not a JSON-RPC message, or a header does not follow MCP.",
			Next:    "Do what the message says. Send one JSON-RPC message, with `Accept: application/json, text/event-stream`.",
		},
		{
			Code: host.CodeNotFound, Status: http.StatusNotFound,
			Meaning: "There is nothing at this path.",
			Next:    "MCP is at `/mcp`; the index at `/` names the rest.",
		},
		{
			Code: host.CodeMethodNotAllowed, Status: http.StatusMethodNotAllowed,
			Meaning: "The method is not one of MCP.",
			Next:    "Send messages with POST.",
		},
		{
			Code: host.CodeUnsupportedMediaType, Status: http.StatusUnsupportedMediaType,
			Meaning: "The body is not declared as JSON.",
			Next:    "Send `Content-Type: application/json`.",
		},
		{
			Code: host.CodeInternal, Status: http.StatusInternalServerError,
			Meaning: "The server failed on this request.",
			Next:    "Send it again. If it fails again, the operator finds it in the log by `request_id`.",
		},
		{
			Code: host.CodeRequestTooLarge, Status: http.StatusRequestEntityTooLarge,
			Meaning: "The body is over 256 KiB, or the batch has over 16 messages.",
			Next:    "Send less at once.",
		},
		{
			Code: string(rs.TooManyRequests), Status: http.StatusTooManyRequests,
			Meaning: "This token has too many or too frequent requests, or the request bodies of all callers are too large. In a tool result, one call " +
				"would have sent more than 400 requests.",
			Next: "Wait for `Retry-After`, or ask for less. The operator sets `--caller-concurrency` and `--caller-rate`.",
		},
	},
}
