// Package telemetry follows calls with OpenTelemetry's SDK: a span for each call and each request to the resource server, and
// histograms of both (R-OPS-1). The names follow OpenTelemetry's conventions for MCP, whose status is Development; they are pinned
// here. No argument, answer, id of a record or token stands in any of it. Only programs that can trace link it.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdppmcp/pdpp-mcp/runtime/host/toolcall"
)

// scope names what makes the spans and the metrics.
const scope = "github.com/pdppmcp/pdpp-mcp"

// flushWithin bounds how long a program that ends sends what is left.
const flushWithin = 5 * time.Second

// Telemetry is a toolcall.Tracer.
type Telemetry struct {
	tracer trace.Tracer
	calls  metric.Float64Histogram
	reads  metric.Float64Histogram
}

var _ toolcall.Tracer = (*Telemetry)(nil)

// bounds are the buckets of both histograms, in seconds, the same in every replica.
var bounds = metric.WithExplicitBucketBoundaries(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25)

// New makes spans and metrics with these providers.
func New(traces trace.TracerProvider, metrics metric.MeterProvider) (*Telemetry, error) {
	meter := metrics.Meter(scope)
	calls, errCalls := meter.Float64Histogram("mcp.server.operation.duration", metric.WithUnit("s"), bounds,
		metric.WithDescription("Time from a call to its answer."))
	reads, errReads := meter.Float64Histogram("http.client.request.duration", metric.WithUnit("s"), bounds,
		metric.WithDescription("Time from a request to the resource server to the header of its answer."))
	return &Telemetry{traces.Tracer(scope), calls, reads}, errors.Join(errCalls, errReads)
}

// Begin makes a Telemetry that sends over OTLP (HTTP) where OpenTelemetry's variables OTEL_* say, and a function that sends
// what is left. Without an endpoint, or with OTEL_SDK_DISABLED, it gives nil and sends nothing. It is an invocation.Tracing.
func Begin(ctx context.Context, version string, logger *slog.Logger) (toolcall.Tracer, func(), error) {
	sendsTraces, sendsMetrics := isWanted("TRACES"), isWanted("METRICS")
	if !sendsTraces && !sendsMetrics {
		return nil, func() {}, nil
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.Warn("telemetry is not sent", "error", err) }))
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "pdpp-mcp"), attribute.String("service.version", version)),
		resource.WithFromEnv()) // which comes last, and wins
	if err != nil {
		return nil, nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES cannot be used: %w", err)
	}
	traceOptions := []sdktrace.TracerProviderOption{sdktrace.WithResource(about)}
	if sendsTraces {
		exporter, err := otlptracehttp.New(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("traces cannot be sent: %w", err)
		}
		traceOptions = append(traceOptions, sdktrace.WithBatcher(exporter))
	} else {
		traceOptions = append(traceOptions, sdktrace.WithSampler(sdktrace.NeverSample()))
	}
	metricOptions := []sdkmetric.Option{sdkmetric.WithResource(about)}
	if sendsMetrics {
		exporter, err := otlpmetrichttp.New(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("metrics cannot be sent: %w", err)
		}
		metricOptions = append(metricOptions, sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter)))
	}
	traces, metrics := sdktrace.NewTracerProvider(traceOptions...), sdkmetric.NewMeterProvider(metricOptions...)
	made, err := New(traces, metrics)
	end := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushWithin)
		defer cancel()
		if err := errors.Join(traces.Shutdown(ctx), metrics.Shutdown(ctx)); err != nil {
			logger.Warn("the last telemetry was not sent", "error", err)
		}
	}
	return made, end, err
}

// isWanted reports whether the environment names where a signal is sent to.
func isWanted(signal string) bool {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" || os.Getenv("OTEL_"+signal+"_EXPORTER") == "none" {
		return false
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != ""
}
