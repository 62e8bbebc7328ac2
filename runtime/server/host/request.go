package host

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"reflect"
	"regexp"
	"strings"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/tracecontext"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
)

const requestMember = "pdpp/request" // in the extra data of the SDK

// throughSDK passes the caller to the SDK in the extra data of the request only, and removes the Authorization header.
func throughSDK(sdk http.Handler) http.Handler {
	// The Handler has verified the bearer and its expiry.
	alreadyVerified := func(ctx context.Context, _ string, _ *http.Request) (*sdkauth.TokenInfo, error) {
		request := toolcall.RequestOf(ctx)
		if request.Caller == nil {
			return nil, sdkauth.ErrInvalidToken
		}
		return &sdkauth.TokenInfo{UserID: request.Caller.TokenHash, Extra: map[string]any{requestMember: request}}, nil
	}
	withoutBearer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header = r.Header.Clone()
		r.Header.Del("Authorization")
		sdk.ServeHTTP(w, r)
	})
	return sdkauth.RequireBearerToken(alreadyVerified, &sdkauth.RequireBearerTokenOptions{AllowMissingExpiration: true})(withoutBearer)
}

// fromSDK returns the HTTP request of an MCP message. The context of the SDK may belong to another request.
func fromSDK(message mcp.Request) *toolcall.Request {
	if extra := message.GetExtra(); extra != nil && extra.TokenInfo != nil {
		if request, ok := extra.TokenInfo.Extra[requestMember].(*toolcall.Request); ok {
			return request
		}
	}
	return &toolcall.Request{}
}

// wellFormedID matches the characters of an id. A length in the expression would take 50 kB of memory.
var wellFormedID = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// requestID returns the id that a proxy or a client sent if it can be logged, otherwise a new one.
func requestID(header http.Header) string {
	for _, name := range []string{"Request-Id", "X-Request-Id"} {
		sent := header.Values(name)
		// The id is logged, so it must not be part of the bearer.
		if len(sent) == 1 && len(sent[0]) >= 8 && len(sent[0]) <= 64 && wellFormedID.MatchString(sent[0]) && !strings.Contains(header.Get("Authorization"), sent[0]) {
			return sent[0]
		}
	}
	var bits [8]byte
	_, _ = rand.Read(bits[:]) // it never fails
	return "req_" + hex.EncodeToString(bits[:])
}

// metaOf returns the _meta of a message of the SDK, or nil. The SDK has a nil pointer for missing params.
func metaOf(message mcp.Request) map[string]any {
	params := message.GetParams()
	if value := reflect.ValueOf(params); !value.IsValid() || value.Kind() == reflect.Pointer && value.IsNil() {
		return nil
	}
	return params.GetMeta()
}

func traceSDK(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		meta := metaOf(request)
		named := tracecontext.Read(func(name string) string {
			text, _ := meta[name].(string)
			return text
		})
		return next(toolcall.Traced(ctx, named), method, request)
	}
}

// observeSDK records requests that the SDK answers. The context of a message has the caller of that message only.
func observeSDK(runner *toolcall.Runner) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
			err = runner.Observe(fromSDK(request).Within(ctx), method, func(ctx context.Context) error {
				result, err = next(ctx, method, request)
				return err
			})
			return result, err
		}
	}
}
