package host

import (
	"encoding/json"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// clientClaims checks what clients say of themselves in the _meta of each request (MCP 2026-07-28). The SDK judges it, so
// that every method takes the same. What it has judged good is remembered, because a client says the same with every
// request. It is safe for concurrent use.
type clientClaims struct {
	good *lru.Cache[string, struct{}]
}

const (
	rememberedClaims = 256
	longestClaims    = 2 << 10 // bytes; what is longer is judged again
)

func newClientClaims() *clientClaims {
	good, err := lru.New[string, struct{}](rememberedClaims)
	if err != nil { // cannot happen: the size is positive
		panic(err)
	}
	return &clientClaims{good: good}
}

// check gives the revision that a _meta names, if it names one. It is false when the SDK refuses the _meta.
func (c *clientClaims) check(meta json.RawMessage) (revision string, isValid bool) {
	if meta == nil || string(meta) == "null" {
		return "", true
	}
	members, isValid := rawjson.ParseObject(meta)
	var claims rawjson.Object
	for _, each := range members {
		switch each.Name {
		case mcp.MetaKeyProtocolVersion:
			revision, _ = rawjson.Text(each.Value)
		case mcp.MetaKeyClientInfo, mcp.MetaKeyClientCapabilities:
			claims = append(claims, each)
		default:
			isValid = isValid && isDecodable(each.Value)
		}
	}
	if revision >= newestRevision {
		return revision, isValid && slices.Contains(Revisions(), revision) && c.areGood(claims)
	}
	for _, each := range claims {
		isValid = isValid && isDecodable(each.Value)
	}
	return revision, isValid
}

// areGood reports whether the SDK takes what a client says of itself. Its info may be missing.
func (c *clientClaims) areGood(claims rawjson.Object) bool {
	encoded := claims.Encode()
	if _, isKnown := c.good.Get(string(encoded)); isKnown {
		return true
	}
	var decoded mcp.Meta
	if json.Unmarshal(encoded, &decoded) != nil {
		return false
	}
	request := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Meta: decoded}}
	isGood := request.ClientCapabilities() != nil && (member(claims, mcp.MetaKeyClientInfo) == nil || request.ClientInfo() != nil)
	if isGood && len(encoded) <= longestClaims {
		c.good.Add(string(encoded), struct{}{})
	}
	return isGood
}

// isDecodable reports whether the SDK can decode a value: it takes every number for a float64, which ends near 1e308.
func isDecodable(value json.RawMessage) bool {
	switch rawjson.Kind(value) {
	case rawjson.Number, rawjson.ObjectValue, rawjson.ArrayValue:
		var ignored any
		return json.Unmarshal(value, &ignored) == nil
	}
	return true
}
