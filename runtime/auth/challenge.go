package auth

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Challenge answers a request that is refused before it reaches MCP (R-HOST-2).
type Challenge struct {
	PublicOrigin string // scheme and host that clients see, without a slash at the end
	RequestID    string
}

// Write sends the answer for an error of Bearer or Verify: status, WWW-Authenticate with 401 and 403, a
// link to the icon, Retry-After with 503, and the JSON body. An error that is no *Refusal fails closed
// as a 503, and its text is not shown. A client that hung up gets nothing.
func (c Challenge) Write(w http.ResponseWriter, err error) {
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		refusal = unavailable(err)
	}
	detail := rawjson.Object{ // of interfaces.md, in that order
		rawjson.String("type", refusal.Type), rawjson.String("code", refusal.Code), rawjson.String("message", refusal.Message),
		rawjson.String("request_id", c.RequestID),
	}
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Link", "<"+c.PublicOrigin+IconPath+`>; rel="icon"; type="image/svg+xml"`)
	if authenticate := c.Authenticate(refusal); authenticate != "" {
		header.Set("WWW-Authenticate", authenticate)
		detail = append(detail, rawjson.String("resource_metadata", c.resourceMetadata()))
	}
	if refusal.RetryAfter > 0 {
		seconds := int64((refusal.RetryAfter + time.Second - 1) / time.Second)
		header.Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
	w.WriteHeader(refusal.Status)
	_, _ = w.Write(append(rawjson.Object{rawjson.Raw("error", detail.Encode())}.Encode(), '\n'))
}

// Authenticate gives the value of WWW-Authenticate (RFC 6750, section 3; RFC 9728, section 5.1). It is
// empty for a status that says nothing of the credentials.
func (c Challenge) Authenticate(refusal *Refusal) string {
	if refusal.Status != http.StatusUnauthorized && refusal.Status != http.StatusForbidden {
		return ""
	}
	value := "Bearer "
	if refusal.Challenge != "" {
		value += "error=" + quoted(refusal.Challenge) + ", "
	}
	return value + "resource_metadata=" + quoted(c.resourceMetadata())
}

func (c Challenge) resourceMetadata() string { return c.PublicOrigin + MCPMetadataPath }

// quoted makes a quoted-string (RFC 9110, section 5.6.4). Control characters have no place in one, and are
// left out.
func quoted(text string) string {
	var value strings.Builder
	value.WriteByte('"')
	for _, character := range []byte(text) {
		switch {
		case character == '"' || character == '\\':
			value.WriteByte('\\')
			value.WriteByte(character)
		case character >= ' ' && character != 0x7f || character == '\t':
			value.WriteByte(character)
		}
	}
	value.WriteByte('"')
	return value.String()
}
