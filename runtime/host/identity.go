package host

import (
	"context"
	"net/http"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// requestMember is the name under which a hosted request travels through the SDK.
const requestMember = "pdpp/request"

// withIdentity hands the caller to the SDK the way it takes one: as the token info of the request, which
// it passes on in the extra data of that request and of no other. The Authorization header ends here.
func withIdentity(sdk http.Handler) http.Handler {
	// This layer has verified the bearer before, and its expiry too.
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

// requestOfExtra gives the hosted request that an MCP message came with, or nil.
func requestOfExtra(extra *mcp.RequestExtra) *hostedRequest {
	if extra == nil || extra.TokenInfo == nil {
		return nil
	}
	request, _ := extra.TokenInfo.Extra[requestMember].(*hostedRequest)
	return request
}

// asExtra is the extra data that the SDK would make of a request.
func (r *hostedRequest) asExtra() *mcp.RequestExtra {
	return &mcp.RequestExtra{TokenInfo: &sdkauth.TokenInfo{Extra: map[string]any{requestMember: r}}}
}
