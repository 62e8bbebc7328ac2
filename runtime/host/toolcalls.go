package host

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// methodCall is the one request that is read, run and answered here, over stdio and HTTP and in every revision, because the
// SDK decodes a message several times and encodes a result as often, which is as much work as reading and rendering a page.
// Everything else that a client asks is the SDK's to answer, and so is a call that is refused: the words of a refusal
// are then the same for every method.
const methodCall = "tools/call"

// newestRevision is the first in which every request names its revision itself, in _meta, and needs no session.
const newestRevision = "2026-07-28"

// toolCalls reads the calls of one surface's tools and writes their answers.
type toolCalls struct {
	caller
	tools  map[string]tool.Definition
	claims *clientClaims
}

// toolCall is a call that can be run.
type toolCall struct {
	id         messageID
	definition tool.Definition
	arguments  json.RawMessage // nil when there are none
	revision   string          // that it names itself; may be empty before 2026-07-28
	isNewest   bool            // it is of 2026-07-28 or later: its result says who answers
	isTyped    bool            // its result says that it is complete
}

func newToolCalls(surface tool.Surface, caller caller) *toolCalls {
	tools := make(map[string]tool.Definition, len(surface.Tools))
	for _, definition := range surface.Tools {
		tools[definition.Name] = definition
	}
	return &toolCalls{caller: caller, tools: tools, claims: newClientClaims()}
}

// read gives the call that a message makes. It is false for any other message, and for a call that the SDK refuses. Asked is
// the revision that the client asked for when its session began, or empty when none has begun.
func (c *toolCalls) read(m message, asked string) (call toolCall, runs bool) {
	if m.method != methodCall || !m.isCall() || m.named == nil {
		return call, false
	}
	var name, meta json.RawMessage
	for _, each := range m.named {
		switch each.Name {
		case "name":
			name = each.Value
		case "arguments":
			call.arguments = each.Value
		case "_meta":
			meta = each.Value
		case "inputResponses", "requestState":
			if !isReadable(each) {
				return call, false
			}
		}
	}
	text, isText := rawjson.Text(name)
	definition, isKnown := c.tools[text]
	revision, isValid := c.claims.check(meta)
	call.id, call.definition, call.revision = m.id, definition, revision
	call.isNewest = revision >= newestRevision
	call.isTyped = call.isNewest || asked >= newestRevision
	return call, isText && isKnown && isValid && (call.isNewest || asked != "")
}

// isReadable reports whether the SDK can read a member of a call that answers a question of the server's. Tools ask none, so that
// its value is of no use here.
func isReadable(answer rawjson.Member) bool {
	var ignored mcp.CallToolParamsRaw
	return json.Unmarshal(rawjson.Object{answer}.Encode(), &ignored) == nil
}

// metaServerInfo is the member of a result's _meta that says who answers.
const metaServerInfo = mcp.MetaKeyServerInfo

// appendAnswer appends the JSON-RPC response with the result of a call. Identity says who answers, as JSON.
func (c toolCall) appendAnswer(out []byte, result *tool.Result, identity json.RawMessage) []byte {
	out = append(append(append(out, `{"jsonrpc":"2.0","id":`...), c.id.written...), `,"result":{`...)
	if len(result.Meta) > 0 || c.isNewest {
		out = append(c.meta(result, identity).Append(append(out, `"_meta":`...)), ',')
	}
	out = rawjson.AppendQuote(append(out, `"content":[{"type":"text","text":`...), result.Text)
	out = append(out, `}]`...)
	if result.Structured != nil {
		out = append(append(out, `,"structuredContent":`...), result.Structured...)
	}
	if result.IsError {
		out = append(out, `,"isError":true`...)
	}
	if c.isTyped {
		out = append(out, `,"resultType":"complete"`...)
	}
	return append(out, `}}`...)
}

// meta is the _meta of a result, in the order of the names.
func (c toolCall) meta(result *tool.Result, identity json.RawMessage) rawjson.Object {
	members := make(rawjson.Object, 0, len(result.Meta)+1)
	for name, value := range result.Meta {
		members = append(members, rawjson.Raw(name, value))
	}
	if c.isNewest {
		members = append(members, rawjson.Raw(metaServerInfo, identity))
	}
	slices.SortFunc(members, func(a, b rawjson.Member) int { return strings.Compare(a.Name, b.Name) })
	return members
}

// identityOf is who answers, as a result of revision 2026-07-28 says it.
func identityOf(self mcp.Implementation) json.RawMessage {
	encoded, err := json.Marshal(self)
	if err != nil { // cannot happen: it is made of strings
		panic(err)
	}
	return encoded
}
