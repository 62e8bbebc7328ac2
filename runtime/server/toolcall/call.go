package toolcall

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/tracecontext"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// NewestRevision is the first MCP revision in which every request names its revision in _meta and needs no session.
const NewestRevision = "2026-07-28"

const methodCall = "tools/call"

// Call is a tool call, or another request that reads the resource server.
type Call struct {
	Method     string
	Definition tool.Definition // zero if no tool runs
	Arguments  json.RawMessage // may be nil
	Client     string          // the client's name outside _meta; may be empty

	id            messageID
	meta          json.RawMessage // checked; may be nil
	revision      string          // in meta; may be empty before NewestRevision
	isNewest      bool            // the revision is NewestRevision or later; results name the server
	hasResultType bool
	trace         tracecontext.Context
	progressToken json.RawMessage // nil if the client does not want progress notifications
	answers       json.RawMessage // to input requests of an earlier result; may be nil
	state         string          // of that result; may be empty
}

func (c Call) name() string { return cmp.Or(c.Definition.Name, c.Method) }

// read returns the call in a message. It returns false for any other message, and for a call that the SDK refuses.
func (r *Runner) read(m message, sessionRevision string) (call Call, isCall bool) {
	if m.method != methodCall || !m.isRequest() || m.members == nil {
		return call, false
	}
	var name json.RawMessage
	for _, each := range m.members {
		switch each.Name {
		case "name":
			name = each.Value
		case "arguments":
			call.Arguments = each.Value
		case "_meta":
			call.meta = each.Value
		case "inputResponses", "requestState":
			// The SDK refuses answers that it cannot decode.
			var ignored mcp.CallToolParamsRaw
			if json.Unmarshal(rawjson.Object{each}.Encode(), &ignored) != nil {
				return call, false
			}
			if each.Name == "inputResponses" {
				call.answers = each.Value
			} else {
				call.state, _ = rawjson.Text(each.Value)
			}
		}
	}
	text, isText := rawjson.Text(name)
	definition, isKnown := r.tools[text]
	meta, isObject := rawjson.ParseObject(call.meta)
	revision, isValid := r.readMeta(meta)
	isValid = isValid && (isObject || call.meta == nil || string(call.meta) == "null")
	call.id, call.Method, call.Definition, call.revision = m.id, m.method, definition, revision
	call.isNewest = revision >= NewestRevision
	call.hasResultType = call.isNewest || sessionRevision >= NewestRevision
	call.trace = tracecontext.Read(meta.Text)
	call.progressToken = member(meta, "progressToken")
	return call, isText && isKnown && isValid && (call.isNewest || sessionRevision != "")
}

// readMeta returns the revision in a _meta, or nothing. It returns false if the SDK refuses the _meta.
func (r *Runner) readMeta(meta rawjson.Object) (revision string, isValid bool) {
	isValid = true
	var claims rawjson.Object
	for _, each := range meta {
		switch each.Name {
		case mcp.MetaKeyProtocolVersion:
			revision, _ = rawjson.Text(each.Value)
		case mcp.MetaKeyClientInfo, mcp.MetaKeyClientCapabilities:
			claims = append(claims, each)
		default:
			isValid = isValid && isDecodable(each.Value)
		}
	}
	if revision >= NewestRevision {
		return revision, isValid && slices.Contains(mcp.SupportedProtocolVersions(), revision) && r.claims.areValid(claims)
	}
	for _, each := range claims {
		isValid = isValid && isDecodable(each.Value)
	}
	return revision, isValid
}

// isDecodable reports whether the SDK can decode a value. It refuses numbers beyond the range of a float64.
func isDecodable(value json.RawMessage) bool {
	switch rawjson.Kind(value) {
	case rawjson.Number, rawjson.ObjectValue, rawjson.ArrayValue:
		var ignored any
		return json.Unmarshal(value, &ignored) == nil
	}
	return true
}

// claimsCache remembers which client claims are valid. A client repeats them with every request, and checking them takes 15 % of a
// small call.
type claimsCache struct{ valid *lru.Cache[string, struct{}] }

const (
	maxCachedClaims = 256
	maxClaimsBytes  = 2 << 10 // longer ones are checked with every request
)

func newClaimsCache() claimsCache {
	valid, _ := lru.New[string, struct{}](maxCachedClaims) // fails only for a size that is not positive
	return claimsCache{valid}
}

// areValid reports whether the SDK accepts the client claims in the _meta of a request (MCP 2026-07-28). The client's info may be missing.
func (c claimsCache) areValid(claims rawjson.Object) bool {
	encoded := claims.Encode()
	if c.valid.Contains(string(encoded)) {
		return true
	}
	var decoded mcp.Meta
	if json.Unmarshal(encoded, &decoded) != nil {
		return false
	}
	request := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Meta: decoded}}
	isValid := request.ClientCapabilities() != nil && (member(claims, mcp.MetaKeyClientInfo) == nil || request.ClientInfo() != nil)
	if isValid && len(encoded) <= maxClaimsBytes {
		c.valid.Add(string(encoded), struct{}{})
	}
	return isValid
}

// response returns the JSON-RPC response with the result of a call. Server is the server's identity for revision 2026-07-28.
func (c Call) response(out []byte, result *tool.Result, server mcp.Implementation) []byte {
	const roomForFrame, roomForEscapes = 1_024, 16 // bytes, and a sixteenth of the text
	out = slices.Grow(out, result.Size()+result.Size()/roomForEscapes+roomForFrame)
	out = append(append(append(out, `{"jsonrpc":"2.0","id":`...), c.id.written...), `,"result":{`...)
	if meta := c.responseMeta(result, server); len(meta) > 0 {
		out = append(meta.Append(append(out, `"_meta":`...)), ',')
	}
	out = result.AppendText(append(out, `"content":[{"type":"text","text":`...))
	out = append(out, '}')
	if file := result.File; file != nil {
		out = rawjson.AppendQuote(append(out, `,{"type":"image","mimeType":`...), file.MediaType)
		out = base64.StdEncoding.AppendEncode(append(out, `,"data":"`...), file.Data)
		out = append(out, `"}`...)
	}
	out = append(out, ']')
	// Some hosts show only structured content if there is any, and not the image (R-BLOB-3). A result with a file therefore has none,
	// unless the output schema requires it.
	if result.File == nil || c.Definition.OutputSchema != nil {
		out = result.AppendStructured(out, `,"structuredContent":`)
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
