package toolcall

import (
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	headerRevision = "Mcp-Protocol-Version"

	// defaultRevision applies to a request without a revision (MCP 2025-06-18, Protocol Version Header).
	defaultRevision = "2025-03-26"

	methodInitialize = "initialize"
)

// methodKind describes the messages that the SDK accepts for a method.
type methodKind struct {
	isNotification bool
	needsParams    bool
}

// methods are the methods that the SDK knows, also of features that this server lacks. Over HTTP the SDK refuses
// unknown methods and malformed messages without their id, so this package refuses them. A test compares this list with
// the SDK. subscriptions/listen is missing, because package host refuses it.
var methods = map[string]methodKind{
	"completion/complete":       {needsParams: true},
	methodInitialize:            {needsParams: true},
	"logging/setLevel":          {needsParams: true},
	"ping":                      {},
	"prompts/get":               {needsParams: true},
	"prompts/list":              {},
	"resources/list":            {},
	"resources/read":            {needsParams: true},
	"resources/subscribe":       {needsParams: true},
	"resources/templates/list":  {},
	"resources/unsubscribe":     {needsParams: true},
	"server/discover":           {},
	"skills/get":                {},
	"skills/list":               {},
	methodCall:                  {needsParams: true},
	"tools/list":                {},
	"notifications/cancelled":   {isNotification: true},
	"notifications/initialized": {isNotification: true},
	"notifications/progress":    {isNotification: true, needsParams: true},

	"notifications/roots/list_changed": {isNotification: true},
}

func revisionOf(r *http.Request) string {
	if named := r.Header.Get(headerRevision); named != "" {
		return named
	}
	return defaultRevision
}

// hasBatches reports whether a revision has batches. They were removed in 2025-06-18.
func hasBatches(revision string) bool {
	return revision <= defaultRevision && slices.Contains(mcp.SupportedProtocolVersions(), revision)
}

// isAcceptable reports whether the SDK accepts the headers of a POST, whatever its body.
func isAcceptable(r *http.Request) bool {
	revision := revisionOf(r)
	return (revision >= NewestRevision || slices.Contains(mcp.SupportedProtocolVersions(), revision)) &&
		isJSON(r.Header.Get("Content-Type")) && acceptsResponses(r.Header["Accept"]) && len(r.Header.Values("Last-Event-Id")) == 0
}

func isJSON(media string) bool {
	if media == MediaJSON {
		return true
	}
	base, _, err := mime.ParseMediaType(media)
	return err == nil && base == MediaJSON
}

// acceptsResponses reports whether a client accepts both forms of a response (MCP 2025-03-26, Sending Messages to the
// Server).
func acceptsResponses(sent []string) bool {
	accepted := make(map[string]bool)
	for media := range strings.SplitSeq(strings.Join(sent, ","), ",") {
		media, _, _ = strings.Cut(media, ";")
		accepted[strings.ToLower(strings.TrimSpace(media))] = true
	}
	return (accepted[MediaJSON] || accepted["application/*"] || accepted["*/*"]) &&
		(accepted["text/event-stream"] || accepted["text/*"] || accepted["*/*"])
}
