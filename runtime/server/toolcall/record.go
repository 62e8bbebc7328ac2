package toolcall

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/tracecontext"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/audit"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// record records a call: its trace (R-OPS-1), its audit line (R-OPS-2), and a log line if it is slow.
type record struct {
	runner   *Runner
	call     Call
	started  time.Time
	audit    *audit.Call
	origin   audit.Call // collects the origin without an audit log
	endTrace func(outcome string)

	providerURL string // empty before the environment is known, and with several providers
}

// begin starts the record of a call. The call must use the returned context.
func (r *Runner) begin(ctx context.Context, call Call) (context.Context, *record) {
	begun := &record{runner: r, call: call, started: time.Now()}
	begun.audit = &begun.origin
	if r.options.Audit != nil {
		begun.audit = r.options.Audit.Begin(r.auditCaller(ctx, call), call.name())
	}
	if r.options.SlowCall > 0 && rs.ObserverOf(ctx) == nil { // over stdio
		ctx = rs.ObservedBy(ctx, &outcome{recorder: SilentRecorder{}})
	}
	ctx, begun.endTrace = r.trace(ctx, call)
	return ctx, begun
}

// OriginMeta is the key in a result's _meta for the origin of its content: provider, connections and streams
// (R-TRUST-2). Hosts do not show it to models. MCP has no draft for such labels.
const OriginMeta = "dev.pdpp/origin"

// addOrigin adds the origin of its content to a result, if any was read.
func (r *record) addOrigin(result *tool.Result) {
	origin := r.audit.Origin()
	if origin == nil {
		return
	}
	meta := maps.Clone(result.Meta)
	if meta == nil {
		meta = make(map[string]json.RawMessage, 1)
	}
	meta[OriginMeta] = origin
	result.Meta = meta
}

// end ends the record of a call that returned a number of rows, and returns its outcome for logs and metrics.
func (r *record) end(ctx context.Context, rows int, err error) (outcome string) {
	outcome = tool.Outcome(err)
	r.endTrace(outcome)
	took := time.Since(r.started)
	if r.runner.options.Audit != nil {
		r.audit.End(rows, tool.AuditCode(err), took)
	}
	if limit := r.runner.options.SlowCall; limit > 0 && took > limit {
		r.logSlow(ctx, outcome, took)
	}
	return outcome
}

// logSlow logs what a slow call read: URL templates and numbers, never arguments or results.
func (r *record) logSlow(ctx context.Context, outcome string, took time.Duration) {
	attributes := []slog.Attr{
		slog.String("method", r.call.Method), slog.String("tool", r.call.name()), slog.String("code", outcome),
		slog.Float64("duration_ms", milliseconds(took)),
	}
	if recorded := outcomeOf(ctx); recorded != nil {
		sums, others := recorded.reads.all()
		attributes = append(attributes, slog.Any("reads", sums))
		if others > 0 {
			attributes = append(attributes, slog.Int("other_reads", others))
		}
	}
	if trace := tracecontext.From(ctx).TraceID(); trace != "" {
		attributes = append(attributes, slog.String("trace_id", trace))
	}
	if request := RequestOf(ctx); request.ID != "" {
		attributes = request.AppendTo(attributes)
	}
	r.runner.options.Logger.LogAttrs(ctx, slog.LevelWarn, "slow call", attributes...)
}

func (r *Runner) auditCaller(ctx context.Context, call Call) audit.Caller {
	caller, request := r.options.Caller, RequestOf(ctx)
	caller.RequestID = request.ID
	if known := request.Caller; known != nil {
		caller.ClientID, caller.GrantID, caller.PackageID, caller.TokenHash = known.ClientID, known.GrantID, known.PackageID, known.TokenHash
	}
	meta, _ := rawjson.ParseObject(call.meta)
	info, _ := rawjson.ParseObject(meta.Get(mcp.MetaKeyClientInfo)) // MCP 2026-07-28
	caller.ClientName = cmp.Or(info.Text("name"), call.Client)
	return caller
}

const maxSums = 8 // of one call; most calls send few kinds of requests

type readSum struct {
	Template   string  `json:"url"`
	Status     int     `json:"status"` // 0 without a response
	Requests   int     `json:"requests"`
	Again      int     `json:"again"`       // requests that were retries
	DurationMS float64 `json:"duration_ms"` // of all requests; some may have run at the same time
	LongestMS  float64 `json:"longest_ms"`
	Bytes      int64   `json:"bytes"`
}

// String returns the sum for a log in text. A log in JSON has the members.
func (s readSum) String() string {
	return fmt.Sprintf("%s status=%d requests=%d again=%d duration_ms=%.1f longest_ms=%.1f bytes=%d",
		s.Template, s.Status, s.Requests, s.Again, s.DurationMS, s.LongestMS, s.Bytes)
}

// milliseconds returns a duration for a log. As JSON, slog writes a Duration as nanoseconds without a unit.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// reads adds up the requests of one call. It is safe for concurrent use.
type reads struct {
	mu     sync.Mutex
	sums   []readSum
	others int // requests that no sum covers
}

func (r *reads) add(sent rs.Sent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.sums, func(sum readSum) bool { return sum.Template == sent.Template && sum.Status == sent.Status })
	if i < 0 && len(r.sums) == maxSums {
		r.others++
		return
	}
	if i < 0 {
		i = len(r.sums)
		r.sums = append(r.sums, readSum{Template: sent.Template, Status: sent.Status})
	}
	sum, took := &r.sums[i], milliseconds(sent.Took)
	sum.Requests++
	if sent.Try > 1 {
		sum.Again++
	}
	sum.DurationMS += took
	sum.LongestMS = max(sum.LongestMS, took)
	sum.Bytes += sent.Bytes
}

func (r *reads) all() (sums []readSum, others int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sums), r.others
}
