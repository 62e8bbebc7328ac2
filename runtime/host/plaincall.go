package host

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// plainCalls answers the most usual request of all, one call of a tool in a revision that has no rules for
// single requests yet, without the SDK. The SDK decodes a message several times, with 32 kB of buffers each time,
// and makes a session with its goroutines for each HTTP request: as much work as reading and rendering a page.
// Whatever is not quite usual goes to the SDK, whose answer to a plain call is the same.
type plainCalls struct {
	tools  map[string]tool.Definition
	caller caller
}

// plainCall is a call as it came.
type plainCall struct {
	id         json.RawMessage // a number or a string that is written as the SDK writes it
	definition tool.Definition
	arguments  json.RawMessage // nil when there are none
}

func newPlainCalls(surface tool.Surface, caller caller) *plainCalls {
	tools := make(map[string]tool.Definition, len(surface.Tools))
	for _, definition := range surface.Tools {
		tools[definition.Name] = definition
	}
	return &plainCalls{tools: tools, caller: caller}
}

// parse takes a message apart if it is a plain call: a call of a known tool in which every member is there once and
// known. What it gives shares the bytes of the message.
func (p *plainCalls) parse(body []byte) (call plainCall, plain bool) {
	message, ok := membersOf(body, "jsonrpc", "id", "method", "params")
	if !ok || string(message[0]) != `"2.0"` || string(message[2]) != `"tools/call"` || !isPlainID(message[1]) {
		return call, false
	}
	params, ok := membersOf(message[3], "name", "arguments", "_meta")
	if !ok || params[0] == nil || !isPlainMeta(params[2]) {
		return call, false
	}
	name, _ := rawjson.Text(params[0])
	definition, known := p.tools[name]
	return plainCall{id: message[1], definition: definition, arguments: params[1]}, known
}

// membersOf gives the named members of an object that has no others, each at most once, in the order of the names. One
// that is not there is nil.
func membersOf(value json.RawMessage, names ...string) (members [4]json.RawMessage, ok bool) {
	object, ok := rawjson.ParseObject(value)
	if !ok {
		return members, false
	}
	for _, member := range object {
		place := slices.Index(names, member.Name)
		if place < 0 || members[place] != nil {
			return members, false
		}
		members[place] = member.Value
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

// clone is a call that shares no bytes with the message.
func (c plainCall) clone() plainCall {
	c.id, c.arguments = bytes.Clone(c.id), bytes.Clone(c.arguments)
	return c
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
