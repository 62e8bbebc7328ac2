package toolcall

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// response returns the JSON-RPC response with the result of a call. Server is the server's identity for revision 2026-07-28.
func (c Call) response(result *tool.Result, server mcp.Implementation) []byte {
	const roomForFrame, roomForEscapes = 1_024, 16 // part of the text
	out := make([]byte, 0, len(result.Text)+len(result.Text)/roomForEscapes+len(result.Structured)+roomForFrame)
	out = append(append(append(out, `{"jsonrpc":"2.0","id":`...), c.id.written...), `,"result":{`...)
	if meta := c.responseMeta(result, server); len(meta) > 0 {
		out = append(meta.Append(append(out, `"_meta":`...)), ',')
	}
	out = rawjson.AppendQuote(append(out, `"content":[{"type":"text","text":`...), result.Text)
	out = append(out, '}')
	if file := result.File; file != nil {
		out = rawjson.AppendQuote(append(out, `,{"type":"image","mimeType":`...), file.MediaType)
		out = base64.StdEncoding.AppendEncode(append(out, `,"data":"`...), file.Data)
		out = append(out, `"}`...)
	}
	out = append(out, ']')
	// Some hosts show structured content only, and would not show an image next to it (R-BLOB-3). An output schema requires it.
	if result.Structured != nil && (result.File == nil || c.Definition.OutputSchema != nil) {
		out = append(append(out, `,"structuredContent":`...), result.Structured...)
	}
	if result.IsError {
		out = append(out, `,"isError":true`...)
	}
	if c.hasResultType {
		out = append(out, `,"resultType":"complete"`...)
	}
	return append(out, `}}`...)
}

// responseMeta returns the _meta of a result, sorted by name.
func (c Call) responseMeta(result *tool.Result, server mcp.Implementation) rawjson.Object {
	members := make(rawjson.Object, 0, len(result.Meta)+1)
	for name, value := range result.Meta {
		members = append(members, rawjson.Raw(name, value))
	}
	if c.isNewest {
		identity, err := json.Marshal(server)
		if err != nil {
			panic(err) // it consists of strings
		}
		members = append(members, rawjson.Raw(mcp.MetaKeyServerInfo, identity))
	}
	slices.SortFunc(members, func(a, b rawjson.Member) int { return strings.Compare(a.Name, b.Name) })
	return members
}
