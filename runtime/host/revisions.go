package host

import "github.com/modelcontextprotocol/go-sdk/mcp"

// Revisions gives the MCP revisions that servers of this package speak, newest first.
func Revisions() []string { return mcp.SupportedProtocolVersions() }
