package main

import (
	"fmt"
	"net/http"
)

// revision is a revision of MCP. Figures are for the most common one and for the newest, which has no handshake and
// identifies the client in every request.
type revision string

const (
	common revision = "2025-06-18"
	newest revision = "2026-07-28"
)

var revisions = []revision{common, newest}

// params returns the params of a request. The argument has the JSON members inside the braces.
func (r revision) params(members string) string {
	if r == common {
		return "{" + members + "}"
	}
	if members != "" {
		members += ","
	}
	const prefix = `"io.modelcontextprotocol/`
	return fmt.Sprintf(`{%s"_meta":{%sprotocolVersion":%q,%sclientInfo":{"name":"bench","version":"1"},%sclientCapabilities":{}}}`,
		members, prefix, r, prefix, prefix)
}

// toolCall returns the params of tools/call.
func (r revision) toolCall(name, arguments string) string {
	return r.params(fmt.Sprintf(`"name":%q,"arguments":%s`, name, arguments))
}

// announce sets the headers of a tools/call over HTTP.
func (r revision) announce(header http.Header, tool string) {
	header.Set("Mcp-Protocol-Version", string(r))
	if r == newest {
		header.Set("Mcp-Method", "tools/call")
		header.Set("Mcp-Name", tool)
	}
}
