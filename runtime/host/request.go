package host

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"regexp"
	"strings"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// hostedRequest is what this server knows of one HTTP request. It belongs to that request alone, and is
// not changed once the request has come to the SDK (R-HOST-5).
type hostedRequest struct {
	id          string // Request-Id of the answer and of every log line
	origin      string // that the client sees
	traceParent string // to pass on; empty when there is none

	caller *auth.Caller // nil before authentication
	bearer rs.Secret    // of the caller
}

type hostedRequestKey struct{}

// requestOf gives what is known of the request in a context of this package, or an empty one over stdio.
func requestOf(ctx context.Context) *hostedRequest {
	request, ok := ctx.Value(hostedRequestKey{}).(*hostedRequest)
	if !ok {
		return &hostedRequest{}
	}
	return request
}

func (r *hostedRequest) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, hostedRequestKey{}, r)
}

// appendTo appends the request's id and the hash of its caller's token to the attributes of a log line.
func (r *hostedRequest) appendTo(attributes []slog.Attr) []slog.Attr {
	attributes = append(attributes, slog.String("request_id", r.id))
	if r.caller != nil {
		attributes = append(attributes, slog.String("caller", r.caller.TokenHash))
	}
	return attributes
}

// requestMember is the name under which a hosted request travels through the SDK.
const requestMember = "pdpp/request"

// throughSDK hands the caller to the SDK the way it takes one: as the token info of the request, which
// it passes on in the extra data of that request and of no other. The Authorization header ends here.
func throughSDK(sdk http.Handler) http.Handler {
	// The Handler has verified the bearer and its expiry before.
	alreadyVerified := func(ctx context.Context, _ string, _ *http.Request) (*sdkauth.TokenInfo, error) {
		request := requestOf(ctx)
		if request.caller == nil {
			return nil, sdkauth.ErrInvalidToken
		}
		return &sdkauth.TokenInfo{UserID: request.caller.TokenHash, Extra: map[string]any{requestMember: request}}, nil
	}
	withoutBearer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header = r.Header.Clone()
		r.Header.Del("Authorization")
		sdk.ServeHTTP(w, r)
	})
	return sdkauth.RequireBearerToken(alreadyVerified, &sdkauth.RequireBearerTokenOptions{AllowMissingExpiration: true})(withoutBearer)
}

// fromSDK gives the hosted request that an MCP message came with, or an empty one. It does not look at
// the SDK's context, which may be that of another request.
func fromSDK(message mcp.Request) *hostedRequest {
	if extra := message.GetExtra(); extra != nil && extra.TokenInfo != nil {
		if request, ok := extra.TokenInfo.Extra[requestMember].(*hostedRequest); ok {
			return request
		}
	}
	return &hostedRequest{}
}

var wellFormedID = regexp.MustCompile(`^[A-Za-z0-9_.-]{8,64}$`)

// requestID takes the id that a proxy or a client gave, if it can stand in a log, and else makes one.
func requestID(header http.Header) string {
	for _, name := range []string{"Request-Id", "X-Request-Id"} {
		sent := header.Values(name)
		// An id is logged, so a part of the bearer cannot be one.
		if len(sent) == 1 && wellFormedID.MatchString(sent[0]) && !strings.Contains(header.Get("Authorization"), sent[0]) {
			return sent[0]
		}
	}
	var bits [8]byte
	_, _ = rand.Read(bits[:]) // it never fails: it ends the program instead
	return "req_" + hex.EncodeToString(bits[:])
}

// traceParentForm is version 00 of traceparent (W3C Trace Context, section 3.2).
var traceParentForm = regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$`)

// traceParent gives the header to pass on to the resource server, or nothing when it is missing, repeated
// or not well-formed. This server adds no span.
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
