package host

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/audit"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/runtime/tracecontext"
)

// newestRevision is the first in which every request names its revision itself, in _meta, and needs no session.
const newestRevision = "2026-07-28"

// toolCalls reads the calls of one surface's tools, runs them and writes their answers, over stdio and HTTP and in every
// revision, because the SDK decodes a message several times and encodes a result as often, which is as much work as reading
// and rendering a page. Everything else that a client asks is the SDK's to answer, and so is a call that is refused: the words
// of a refusal are then the same for every method. It is safe for concurrent use.
type toolCalls struct {
	tools       map[string]tool.Definition
	environment Environment
	timeout     time.Duration
	readings    *tool.Readings // nil: calls read nothing for themselves
	logger      *slog.Logger
	slowCall    time.Duration // a longer one is logged with its reads; 0: none
	audit       *audit.Log
	caller      audit.Caller // of every call, over stdio
	tracer      Tracer       // nil for none
	goodClaims  *lru.Cache[string, struct{}]
}

func newToolCalls(surface tool.Surface, options Options, environment Environment) *toolCalls {
	tools := make(map[string]tool.Definition, len(surface.Tools))
	for _, definition := range surface.Tools {
		tools[definition.Name] = definition
	}
	goodClaims, _ := lru.New[string, struct{}](rememberedClaims) // its error says that the size is not positive
	return &toolCalls{
		tools: tools, environment: environment, timeout: options.callTimeout(),
		readings: tool.NewReadings(tool.ReadingsOptions{Most: options.ReadOn, Observe: noteReading}),
		logger:   cmp.Or(options.Logger, slog.New(slog.DiscardHandler)), goodClaims: goodClaims,
		slowCall: options.SlowCall, audit: options.Audit, caller: options.Caller, tracer: options.Tracer,
	}
}

// toolCall is a call that can be run, or another request that reads the resource server.
type toolCall struct {
	id         messageID
	method     string          // tools/call, or the one that the tool's run answers, or that no tool answers
	definition tool.Definition // zero when no tool is run
	arguments  json.RawMessage // nil when there are none
	sentMeta   json.RawMessage // its _meta, checked; nil when there is none
	client     string          // what the client called itself outside sentMeta; may be empty
	revision   string          // that it names itself; may be empty before 2026-07-28
	isNewest   bool            // it is of 2026-07-28 or later: its result says who answers
	isTyped    bool            // its result says that it is complete
	trace      tracecontext.Context

	progressToken json.RawMessage // nil when the client does not want to be told how far the call has come
}

// name is that of the tool that is run, else the method.
func (c toolCall) name() string { return cmp.Or(c.definition.Name, c.method) }

// read gives the call that a message makes. It is false for any other message, and for a call that the SDK refuses. Asked is
// the revision that the client asked for when its session began, or empty when none has begun.
func (c *toolCalls) read(m message, asked string) (call toolCall, runs bool) {
	if m.method != methodCall || !m.isCall() || m.named == nil {
		return call, false
	}
	var name json.RawMessage
	for _, each := range m.named {
		switch each.Name {
		case "name":
			name = each.Value
		case "arguments":
			call.arguments = each.Value
		case "_meta":
			call.sentMeta = each.Value
		case "inputResponses", "requestState":
			// They answer a question of the server's. Tools ask none, but the SDK refuses those that it cannot read.
			var ignored mcp.CallToolParamsRaw
			if json.Unmarshal(rawjson.Object{each}.Encode(), &ignored) != nil {
				return call, false
			}
		}
	}
	text, isText := rawjson.Text(name)
	definition, isKnown := c.tools[text]
	members, isObject := rawjson.ParseObject(call.sentMeta)
	revision, isValid := c.namedRevision(members)
	isValid = isValid && (isObject || call.sentMeta == nil || string(call.sentMeta) == "null")
	call.id, call.method, call.definition, call.revision = m.id, m.method, definition, revision
	call.isNewest = revision >= newestRevision
	call.isTyped = call.isNewest || asked >= newestRevision
	call.trace = tracecontext.Read(members.Text)
	call.progressToken = member(members, "progressToken")
	return call, isText && isKnown && isValid && (call.isNewest || asked != "")
}

const (
	rememberedClaims = 256
	longestClaims    = 2 << 10 // bytes; what is longer is judged again
)

// namedRevision gives the revision that a call names in its _meta, or nothing. It is false when the SDK refuses the _meta.
func (c *toolCalls) namedRevision(meta rawjson.Object) (revision string, isValid bool) {
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
	if revision >= newestRevision {
		return revision, isValid && slices.Contains(Revisions(), revision) && c.areGood(claims)
	}
	for _, each := range claims {
		isValid = isValid && isDecodable(each.Value)
	}
	return revision, isValid
}

// areGood reports whether the SDK takes what a client says of itself in the _meta of each request (MCP 2026-07-28). Its info
// may be missing. What the SDK took is remembered, because a client says the same with every request: judging it again takes 15 % of a
// small call.
func (c *toolCalls) areGood(claims rawjson.Object) bool {
	encoded := claims.Encode()
	if _, isKnown := c.goodClaims.Get(string(encoded)); isKnown {
		return true
	}
	var decoded mcp.Meta
	if json.Unmarshal(encoded, &decoded) != nil {
		return false
	}
	request := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Meta: decoded}}
	isGood := request.ClientCapabilities() != nil && (member(claims, mcp.MetaKeyClientInfo) == nil || request.ClientInfo() != nil)
	if isGood && len(encoded) <= longestClaims {
		c.goodClaims.Add(string(encoded), struct{}{})
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

// run answers within the timeout, provided that the tool ends with its context. It never gives nil: whatever goes wrong
// becomes a result, because not every client shows a protocol error to its model.
func (c *toolCalls) run(ctx context.Context, call toolCall) *tool.Result {
	var result *tool.Result
	ctx, kept := c.begin(ctx, call)
	err := c.guard(ctx, &kept, func(ctx context.Context, env tool.Env) (err error) {
		if result, err = call.definition.Run(ctx, env, call.arguments); err == nil && result == nil {
			return errNoResult
		}
		return err
	})
	if err != nil {
		result = tool.Failed(err)
	}
	note(ctx, call.definition.Name, kept.end(ctx, result.Rows, err))
	return result
}

// guard runs what reads for one request, within the timeout and with what that request may use. A panic becomes an error.
func (c *toolCalls) guard(ctx context.Context, kept *account, read func(context.Context, tool.Env) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	defer func() {
		if panicked := recover(); panicked != nil {
			c.logPanic(kept.call.name(), panicked)
			err = errPanicked
		}
	}()
	env, err := c.environment(ctx)
	if err == nil {
		env.RS, env.Progress, env.Readings = kept.audit.Reader(env.RS), progressOf(ctx), c.readings
		err = read(ctx, env)
	}
	var failure *rs.Failure
	// An *rs.Failure says more about the timeout.
	if ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &failure) {
		return &rs.Failure{
			Reason: rs.Timeout, Message: fmt.Sprintf("the call took longer than %s", c.timeout),
			NextStep: "ask for less with limit, fields or one connection_id, or try again", Cause: err,
		}
	}
	return err
}

var (
	errNoResult = errors.New("the tool gave no result")
	errPanicked = errors.New("the tool panicked")
)

// logPanic writes where it happened. The panic's value is logged only when the Go runtime made it,
// since any other may hold record data or a bearer.
func (c *toolCalls) logPanic(name string, panicked any) {
	value := fmt.Sprintf("%T", panicked)
	if fault, ok := panicked.(runtime.Error); ok {
		value = fault.Error()
	}
	c.logger.Error("a tool panicked", "tool", name, "panic", value, "stack", string(debug.Stack()))
}

// answer returns the JSON-RPC response with the result of a call. Identity is from identityOf.
func (c toolCall) answer(result *tool.Result, identity json.RawMessage) []byte {
	const roomForFrame, roomForEscapes = 1_024, 16 // part of the text
	out := make([]byte, 0, len(result.Text)+len(result.Text)/roomForEscapes+len(result.Structured)+roomForFrame)
	out = append(append(append(out, `{"jsonrpc":"2.0","id":`...), c.id.written...), `,"result":{`...)
	if len(result.Meta) > 0 || c.isNewest {
		out = append(c.meta(result, identity).Append(append(out, `"_meta":`...)), ',')
	}
	out = rawjson.AppendQuote(append(out, `"content":[{"type":"text","text":`...), result.Text)
	out = append(out, '}')
	if file := result.File; file != nil {
		out = rawjson.AppendQuote(append(out, `,{"type":"image","mimeType":`...), file.MediaType)
		out = base64.StdEncoding.AppendEncode(append(out, `,"data":"`...), file.Data)
		out = append(out, `"}`...)
	}
	out = append(out, ']')
	// A picture is shown by hosts that would show structured content alone (R-BLOB-3). A tool with an output schema must have it.
	if result.Structured != nil && (result.File == nil || c.definition.OutputSchema != nil) {
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
		members = append(members, rawjson.Raw(mcp.MetaKeyServerInfo, identity))
	}
	slices.SortFunc(members, func(a, b rawjson.Member) int { return strings.Compare(a.Name, b.Name) })
	return members
}

// identityOf is the server's identity as JSON, for results of revision 2026-07-28.
func identityOf(self mcp.Implementation) json.RawMessage {
	encoded, err := json.Marshal(self)
	if err != nil { // cannot happen: it is made of strings
		panic(err)
	}
	return encoded
}
