// Package telemetry traces calls with OpenTelemetry's SDK: a span and a histogram for calls and for requests to the
// resource server (R-OPS-1). Names follow OpenTelemetry's conventions for MCP (status: Development). No argument,
// result, record id or token is recorded. Only pdpp-mcp-otel links it.
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

	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
)

// scope is the instrumentation scope.
const scope = "github.com/pdppmcp/pdpp-mcp"

// flushTimeout limits the last export of an ending program.
const flushTimeout = 5 * time.Second

// Telemetry is a toolcall.Tracer.
type Telemetry struct {
	tracer trace.Tracer
	calls  metric.Float64Histogram
	reads  metric.Float64Histogram
}

var _ toolcall.Tracer = (*Telemetry)(nil)

// bounds are the buckets of both histograms, in seconds, the same in every replica.
var bounds = metric.WithExplicitBucketBoundaries(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25)

// New returns a Telemetry with these providers.
func New(traces trace.TracerProvider, metrics metric.MeterProvider) (*Telemetry, error) {
	meter := metrics.Meter(scope)
	calls, errCalls := meter.Float64Histogram("mcp.server.operation.duration", metric.WithUnit("s"), bounds,
		metric.WithDescription("Duration of a call."))
	reads, errReads := meter.Float64Histogram("http.client.request.duration", metric.WithUnit("s"), bounds,
		metric.WithDescription("Time from a request to the resource server until the header of its response."))
	return &Telemetry{traces.Tracer(scope), calls, reads}, errors.Join(errCalls, errReads)
}

// Begin returns a Telemetry that exports over OTLP (HTTP) according to OpenTelemetry's variables, and a function that
// flushes it. Without an endpoint, or with OTEL_SDK_DISABLED, it returns nil. It is an invocation.Tracing.
func Begin(ctx context.Context, version string, logger *slog.Logger) (toolcall.Tracer, func(), error) {
	sendsTraces, sendsMetrics := isWanted("TRACES"), isWanted("METRICS")
	if !sendsTraces && !sendsMetrics {
		return nil, func() {}, nil
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.Warn("telemetry is not sent", "error", err) }))
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "pdpp-mcp"), attribute.String("service.version", version)),
		resource.WithFromEnv()) // last, so that it wins
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
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
		defer cancel()
		if err := errors.Join(traces.Shutdown(ctx), metrics.Shutdown(ctx)); err != nil {
			logger.Warn("the last telemetry was not sent", "error", err)
		}
	}
	return made, end, err
}

// isWanted reports whether the environment has an endpoint for a signal.
func isWanted(signal string) bool {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" || os.Getenv("OTEL_"+signal+"_EXPORTER") == "none" {
		return false
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != ""
}
