package telemetry

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/tracecontext"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// w3c reads and writes traceparent and tracestate.
var w3c propagation.TraceContext

// Call starts the span of a call, named `tools/call` with the tool's name or by its method.
func (t *Telemetry) Call(ctx context.Context, call toolcall.TracedCall) (context.Context, func(outcome string)) {
	started, name := time.Now(), call.Method
	counted := []attribute.KeyValue{attribute.String("mcp.method.name", call.Method)}
	if call.Method == "tools/call" {
		name += " " + call.Tool
		counted = append(counted, attribute.String("gen_ai.tool.name", call.Tool), attribute.String("gen_ai.operation.name", "execute_tool"))
	}
	network := "pipe"
	if call.IsHosted {
		network = "tcp"
		counted = append(counted, attribute.String("network.protocol.name", "http"))
	}
	counted = append(counted, attribute.String("network.transport", network))
	shown := counted[:len(counted):len(counted)]
	if call.Revision != "" {
		counted = append(counted, attribute.String("mcp.protocol.version", call.Revision))
		shown = counted[:len(counted):len(counted)]
	}
	if call.MessageID != "" {
		shown = append(shown, attribute.String("jsonrpc.request.id", call.MessageID))
	}
	if call.RequestID != "" {
		shown = append(shown, attribute.String("pdpp.request_id", call.RequestID))
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(shown...)}
	if link := remote(context.Background(), call.Link); trace.SpanContextFromContext(link).IsValid() {
		options = append(options, trace.WithLinks(trace.LinkFromContext(link)))
	}
	ctx, span := t.tracer.Start(remote(ctx, call.Parent), name, options...)
	within := tracecontext.From(ctx)
	within.Parent = parentOf(span.SpanContext())
	ctx = within.Within(ctx)
	return ctx, func(outcome string) {
		if outcome != tool.OK {
			failed := attribute.String("error.type", "tool_error")
			if call.Method != "tools/call" {
				failed = attribute.String("error.type", outcome)
			}
			counted = append(counted, failed)
			span.SetAttributes(failed, attribute.String("pdpp.outcome", outcome))
			span.SetStatus(codes.Error, outcome)
		}
		span.End()
		t.calls.Record(ctx, time.Since(started).Seconds(), metric.WithAttributes(counted...))
	}
}

// remote returns a context whose spans have a remote parent.
func remote(ctx context.Context, parent tracecontext.Context) context.Context {
	if parent.Parent == "" {
		return ctx
	}
	header := make(http.Header, 2)
	tracecontext.Context{Parent: parent.Parent, State: parent.State}.WriteTo(header)
	return w3c.Extract(ctx, propagation.HeaderCarrier(header))
}

// parentOf returns the traceparent for children of a span.
func parentOf(span trace.SpanContext) string {
	return "00-" + span.TraceID().String() + "-" + span.SpanID().String() + "-" + span.TraceFlags().String()
}

// Transport returns a transport that traces the requests of another one.
func (t *Telemetry) Transport(inner http.RoundTripper) http.RoundTripper { return &transport{t, inner} }

type transport struct {
	*Telemetry
	inner http.RoundTripper
}

// RoundTrip sends a request within its call's trace.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	started, route := time.Now(), routeOf(request.URL)
	counted := []attribute.KeyValue{attribute.String("http.request.method", request.Method), attribute.String("url.template", route)}
	ctx, span := t.tracer.Start(request.Context(), request.Method+" "+route,
		trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(counted...))
	defer span.End()
	sent := request.Clone(ctx)
	w3c.Inject(ctx, propagation.HeaderCarrier(sent.Header))
	response, err := t.inner.RoundTrip(sent)
	switch {
	case err != nil: // its text may contain an address
		counted = append(counted, attribute.String("error.type", "unanswered"))
		span.SetStatus(codes.Error, "unanswered")
	default:
		status := attribute.Int("http.response.status_code", response.StatusCode)
		counted = append(counted, status)
		if response.StatusCode >= http.StatusBadRequest {
			counted = append(counted, attribute.String("error.type", strconv.Itoa(response.StatusCode)))
			span.SetStatus(codes.Error, "")
		}
	}
	span.SetAttributes(counted[2:]...)
	t.reads.Record(ctx, time.Since(started).Seconds(), metric.WithAttributes(counted...))
	return response, err
}

// routeOf returns the template of a URL, without its origin and the caller's values. A provider may be below a path.
func routeOf(address *url.URL) string {
	_, below, isRead := strings.Cut(address.EscapedPath(), "/v1/")
	if !isRead {
		return rs.OtherRoute
	}
	return rs.Path("/v1/" + below).Route().Template
}
