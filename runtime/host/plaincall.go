package host

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// plainCalls answers the most usual request of all, one call of a tool in a revision that has no rules for
// single requests yet, without the SDK. For each HTTP request the SDK makes a session with its goroutines and
// decodes the body several times, with 32 kB of buffers each time: as much work as reading and rendering a page.
// Whatever is not quite usual goes to the SDK, whose answer to a plain call is the same.
type plainCalls struct {
	tools  map[string]tool.Definition
	caller caller
	log    outcomeLog
}

// plainCall is a call as it came.
type plainCall struct {
	id         json.RawMessage // a number or a string that is written as the SDK writes it
	definition tool.Definition
	arguments  json.RawMessage // nil when there are none
}

func newPlainCalls(surface tool.Surface, caller caller, log outcomeLog) *plainCalls {
	tools := make(map[string]tool.Definition, len(surface.Tools))
	for _, definition := range surface.Tools {
		tools[definition.Name] = definition
	}
	return &plainCalls{tools: tools, caller: caller, log: log}
}

// plainRevisions are those that MCP had before requests named their revision themselves (2026-07-28).
var plainRevisions = func() []string {
	return slices.DeleteFunc(Revisions(), func(revision string) bool { return revision >= "2026-07-28" })
}()

// read takes a request apart if it is plain: its headers are those that clients send, and its body is a call of
// a known tool in which every member is there once and known.
func (p *plainCalls) read(r *http.Request, body []byte) (call plainCall, plain bool) {
	if p == nil || !hasPlainHeader(r) {
		return call, false
	}
	message, ok := membersOf(body, "jsonrpc", "id", "method", "params")
	if !ok || string(message["jsonrpc"]) != `"2.0"` || string(message["method"]) != `"tools/call"` || !isPlainID(message["id"]) {
		return call, false
	}
	params, ok := membersOf(message["params"], "name", "arguments", "_meta")
	if !ok || params["name"] == nil || !isPlainMeta(params["_meta"]) {
		return call, false
	}
	name, _ := rawjson.Text(params["name"])
	definition, known := p.tools[name]
	return plainCall{id: message["id"], definition: definition, arguments: params["arguments"]}, known
}

func hasPlainHeader(r *http.Request) bool {
	return r.Method == http.MethodPost &&
		slices.Contains(plainRevisions, single(r.Header, "Mcp-Protocol-Version")) &&
		single(r.Header, "Content-Type") == "application/json" &&
		single(r.Header, "Accept") == "application/json, text/event-stream" &&
		len(r.Header.Values("Last-Event-Id")) == 0
}

// single is a header that came once, or nothing.
func single(header http.Header, name string) string {
	if sent := header[name]; len(sent) == 1 {
		return sent[0]
	}
	return ""
}

// membersOf gives the members of an object that has no others than these, each at most once.
func membersOf(value json.RawMessage, names ...string) (map[string]json.RawMessage, bool) {
	object, ok := rawjson.ParseObject(value)
	if !ok {
		return nil, false
	}
	members := make(map[string]json.RawMessage, len(names))
	for _, member := range object {
		if members[member.Name] != nil || !slices.Contains(names, member.Name) {
			return nil, false
		}
		members[member.Name] = member.Value
	}
	return members, true
}

// isPlainID tells ids that any encoder writes as they came.
func isPlainID(id json.RawMessage) bool {
	if rawjson.Kind(id) == rawjson.StringValue {
		return rawjson.IsPrintableASCII(id) && !bytes.ContainsAny(id, `\<>&`)
	}
	number, err := strconv.ParseInt(string(id), 10, 53)
	return err == nil && strconv.FormatInt(number, 10) == string(id)
}

// isPlainMeta tells metadata that the protocol gives no meaning in the revisions that are answered here.
func isPlainMeta(meta json.RawMessage) bool {
	if meta == nil {
		return true
	}
	members, ok := rawjson.ParseObject(meta)
	return ok && !slices.ContainsFunc(members, func(member rawjson.Member) bool {
		return strings.HasPrefix(member.Name, "io.modelcontextprotocol/")
	})
}

// answer runs the tool and writes its result.
func (p *plainCalls) answer(w http.ResponseWriter, r *http.Request, call plainCall) {
	hosted := requestOf(r.Context())
	extra := &mcp.RequestExtra{TokenInfo: &sdkauth.TokenInfo{Extra: map[string]any{requestMember: hosted}}}
	var result *tool.Result
	_ = p.log.observe(r.Context(), hosted, "tools/call", func(ctx context.Context) error {
		result = p.caller.call(ctx, call.definition, extra, call.arguments)
		return nil
	})
	buffer := restoreBuffers.Get().(*[]byte)
	defer restoreBuffers.Put(buffer)
	*buffer = call.appendAnswer((*buffer)[:0], result)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache, no-transform") // as the SDK says: what was read is nobody else's
	w.Header().Set("Content-Length", strconv.Itoa(len(*buffer)))
	// A client that hung up gets nothing.
	_, _ = w.Write(*buffer)
}

// appendAnswer appends the JSON-RPC response.
func (c plainCall) appendAnswer(out []byte, result *tool.Result) []byte {
	out = append(append(out, `{"jsonrpc":"2.0","id":`...), c.id...)
	out = append(out, `,"result":{`...)
	if len(result.Meta) > 0 {
		meta := rawjson.Object{}
		for _, name := range slices.Sorted(maps.Keys(result.Meta)) {
			meta = append(meta, rawjson.Raw(name, result.Meta[name]))
		}
		out = append(meta.Append(append(out, `"_meta":`...)), ',')
	}
	out = rawjson.AppendQuote(append(out, `"content":[{"type":"text","text":`...), result.Text)
	out = append(out, `}]`...)
	if result.Structured != nil {
		out = append(append(out, `,"structuredContent":`...), result.Structured...)
	}
	if result.IsError {
		out = append(out, `,"isError":true`...)
	}
	return append(out, `}}`...)
}
