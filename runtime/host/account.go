package host

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/audit"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// beginAudit begins the account of a call (R-OPS-2); nil when none is kept.
func (c *toolCalls) beginAudit(ctx context.Context, call toolCall) *audit.Call {
	if c.audit == nil {
		return nil
	}
	caller := c.caller
	request := requestOf(ctx)
	caller.RequestID = request.id
	if known := request.caller; known != nil {
		caller.ClientID, caller.GrantID, caller.PackageID, caller.TokenHash = known.ClientID, known.GrantID, known.PackageID, known.TokenHash
	}
	if caller.ClientName = clientNamed(call.sentMeta); caller.ClientName == "" {
		caller.ClientName = call.client
	}
	return c.audit.Begin(caller, call.definition.Name)
}

// clientNamed is the name by which a client calls itself in a request's _meta (MCP 2026-07-28); empty when it does not.
func clientNamed(meta json.RawMessage) string {
	members, _ := rawjson.ParseObject(meta)
	info, _ := rawjson.ParseObject(members.Get(mcp.MetaKeyClientInfo))
	return info.Text("name")
}
