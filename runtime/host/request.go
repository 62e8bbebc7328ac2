package host

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"reflect"
	"regexp"
	"strings"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tracecontext"
)

// hostedRequest is what this server knows of one HTTP request. It belongs to that request alone, and is
// not changed once the request has come to the SDK (R-HOST-5).
type hostedRequest struct {
	id     string               // Request-Id of the answer and of every log line
	origin string               // that the client sees
	trace  tracecontext.Context // that its headers name, for messages that name none

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

// wellFormedID is of what an id consists. It has 8 to 64 of them; counted in the expression, they take 50 kB of memory.
var wellFormedID = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// requestID takes the id that a proxy or a client gave, if it can stand in a log, and else makes one.
func requestID(header http.Header) string {
	for _, name := range []string{"Request-Id", "X-Request-Id"} {
		sent := header.Values(name)
		// An id is logged, so a part of the bearer cannot be one.
		if len(sent) == 1 && len(sent[0]) >= 8 && len(sent[0]) <= 64 && wellFormedID.MatchString(sent[0]) && !strings.Contains(header.Get("Authorization"), sent[0]) {
			return sent[0]
		}
	}
	var bits [8]byte
	_, _ = rand.Read(bits[:]) // it never fails: it ends the program instead
	return "req_" + hex.EncodeToString(bits[:])
}

// metaOf gives the _meta of a message of the SDK, nil when it has none. Params that were left out are a nil pointer there.
func metaOf(message mcp.Request) map[string]any {
	params := message.GetParams()
	if value := reflect.ValueOf(params); !value.IsValid() || value.Kind() == reflect.Pointer && value.IsNil() {
		return nil
	}
	return params.GetMeta()
}

// traced belongs to the trace that the _meta of a message names, and else to that of its request (MCP SEP-414).
func traced(ctx context.Context, named tracecontext.Context) context.Context {
	return named.Or(requestOf(ctx).trace).Within(ctx)
}

// traceSDK is traced for what the SDK serves.
func traceSDK(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		meta := metaOf(request)
		named := tracecontext.Read(func(name string) string {
			text, _ := meta[name].(string)
			return text
		})
		return next(traced(ctx, named), method, request)
	}
}
