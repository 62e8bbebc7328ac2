package host

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/audit"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/runtime/tracecontext"
)

// account is what is kept of one request that reads the resource server: its trace (R-OPS-1), its line of the audit (R-OPS-2), and
// its line in the log if it is slow.
type account struct {
	calls    *toolCalls
	call     toolCall
	started  time.Time
	audit    *audit.Call // nil when none is kept
	endTrace func(outcome string)
}

// begin begins the account of a call. The call reads under the context that it gives.
func (c *toolCalls) begin(ctx context.Context, call toolCall) (context.Context, account) {
	kept := account{calls: c, call: call, started: time.Now(), audit: c.beginAudit(ctx, call)}
	if c.slowCall > 0 && rs.ObserverOf(ctx) == nil { // over stdio
		ctx = rs.ObservedBy(ctx, &outcome{recorder: silentRecorder{}})
	}
	ctx, kept.endTrace = c.follow(ctx, call)
	return ctx, kept
}

// end ends the account of a call that gave so many rows, and returns its outcome as logs and metrics name it.
func (a *account) end(ctx context.Context, rows int, err error) (outcome string) {
	outcome = tool.Outcome(err)
	a.endTrace(outcome)
	took := time.Since(a.started)
	a.audit.End(rows, tool.AuditCode(err), took)
	if a.calls.slowCall > 0 && took > a.calls.slowCall {
		a.logSlow(ctx, outcome, took)
	}
	return outcome
}

// logSlow writes what a slow call read: templates of URLs and numbers, but no argument and no answer.
func (a *account) logSlow(ctx context.Context, outcome string, took time.Duration) {
	attributes := []slog.Attr{
		slog.String("method", a.call.method), slog.String("tool", a.call.name()), slog.String("code", outcome), slog.Float64("duration_ms", milliseconds(took)),
	}
	if kept := outcomeOf(ctx); kept != nil {
		sums, rest := kept.reads.all()
		attributes = append(attributes, slog.Any("reads", sums))
		if rest > 0 {
			attributes = append(attributes, slog.Int("other_reads", rest))
		}
	}
	if trace := tracecontext.From(ctx).TraceID(); trace != "" {
		attributes = append(attributes, slog.String("trace_id", trace))
	}
	if request := requestOf(ctx); request.id != "" {
		attributes = request.appendTo(attributes)
	}
	a.calls.logger.LogAttrs(ctx, slog.LevelWarn, "slow call", attributes...)
}

// beginAudit begins a call's line of the audit; nil when none is kept.
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
	return c.audit.Begin(caller, call.name())
}

// clientNamed is the name by which a client calls itself in a request's _meta (MCP 2026-07-28); empty when it does not.
func clientNamed(meta json.RawMessage) string {
	members, _ := rawjson.ParseObject(meta)
	info, _ := rawjson.ParseObject(members.Get(mcp.MetaKeyClientInfo))
	return info.Text("name")
}
