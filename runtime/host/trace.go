package host

import (
	"net/http"
	"regexp"
	"strings"
)

// traceParentForm is version 00 of traceparent (W3C Trace Context, section 3.2).
var traceParentForm = regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$`)

// traceParent gives the header to pass on to the resource server, or nothing when it is missing, repeated
// or not well-formed. This server adds no span of its own.
func traceParent(header http.Header) string {
	sent := header.Values("Traceparent")
	if len(sent) != 1 {
		return ""
	}
	parts := traceParentForm.FindStringSubmatch(sent[0])
	if parts == nil || strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return ""
	}
	return sent[0]
}
