package main

import (
	"fmt"
	"net/http"
)

// revision is a revision of MCP, as clients speak it. The figures are of the one that most of them speak, and of the
// newest, in which no handshake comes first and every request says who asks.
type revision string

const (
	common revision = "2025-06-18"
	newest revision = "2026-07-28"
)

var revisions = []revision{common, newest}

// params are those of a request, whose own members are given as they stand within the braces.
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

// toolCall is the params of tools/call.
func (r revision) toolCall(name, arguments string) string {
	return r.params(fmt.Sprintf(`"name":%q,"arguments":%s`, name, arguments))
}

// announce sets the headers that a tools/call over HTTP has.
func (r revision) announce(header http.Header, tool string) {
	header.Set("Mcp-Protocol-Version", string(r))
	if r == newest {
		header.Set("Mcp-Method", "tools/call")
		header.Set("Mcp-Name", tool)
	}
}
