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
	members, isObject := rawjson.ParseObject(meta)
	if !isObject {
		return "", false
	}
	var info, capabilities json.RawMessage
	for _, each := range members {
		switch each.Name {
		case mcp.MetaKeyProtocolVersion:
			revision, _ = rawjson.Text(each.Value)
		case mcp.MetaKeyClientInfo:
			info = each.Value
		case mcp.MetaKeyClientCapabilities:
			capabilities = each.Value
		default:
			if !isDecodable(each.Value) {
				return "", false
			}
		}
	}
	if revision < newestRevision {
		return revision, isDecodable(info) && isDecodable(capabilities)
	}
	return revision, slices.Contains(Revisions(), revision) && c.areGood(info, capabilities)
}

// areGood reports whether the SDK takes what a client says of itself. The first may be missing.
func (c *clientClaims) areGood(info, capabilities json.RawMessage) bool {
	key := string(info) + "\n" + string(capabilities)
	if _, isKnown := c.good.Get(key); isKnown {
		return true
	}
	meta := make(mcp.Meta, 2)
	if info != nil {
		meta[mcp.MetaKeyClientInfo] = info
	}
	if capabilities != nil {
		meta[mcp.MetaKeyClientCapabilities] = capabilities
	}
	var decoded mcp.Meta
	encoded, err := json.Marshal(meta)
	if err != nil || json.Unmarshal(encoded, &decoded) != nil {
		return false
	}
	request := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Meta: decoded}}
	isGood := request.ClientCapabilities() != nil && (info == nil || request.ClientInfo() != nil)
	if isGood && len(key) <= longestClaims {
		c.good.Add(key, struct{}{})
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
