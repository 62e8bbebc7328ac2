package telemetry_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/telemetry"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
)

// Covers R-OPS-1: spans and metrics go where OTEL_* says, and nowhere when that names no place or turns them off.
func TestExport(t *testing.T) {
	for name, test := range map[string]struct {
		variables map[string]string
		want      []string // paths
	}{
		"no endpoint": {nil, nil},
		"an endpoint": {
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "collector"},
			[]string{"/v1/traces", "/v1/metrics"},
		},
		"turned off": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "collector", "OTEL_SDK_DISABLED": "true"}, nil},
		"traces alone": {
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "collector", "OTEL_METRICS_EXPORTER": "none"},
			[]string{"/v1/traces"},
		},
		"metrics alone": {
			map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "collector/of/metrics"}, []string{"/of/metrics"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			came := make(map[string]bool)
			collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				came[r.URL.Path] = true
			}))
			defer collector.Close()
			for name, value := range test.variables {
				if len(value) > len("collector") || value == "collector" {
					value = collector.URL + value[len("collector"):]
				}
				t.Setenv(name, value)
			}
			tracer, end, err := telemetry.Begin(t.Context(), "test", slog.New(slog.NewTextHandler(t.Output(), nil)))
			if err != nil || (tracer == nil) != (test.want == nil) {
				t.Fatalf("%v %v", tracer, err)
			}
			if tracer != nil {
				_, ended := tracer.Call(t.Context(), toolcall.TracedCall{Method: "tools/call", Tool: "fetch"})
				ended("ok")
			}
			end()
			mu.Lock()
			defer mu.Unlock()
			if len(came) != len(test.want) {
				t.Errorf("came %v, want %v", came, test.want)
			}
			for _, path := range test.want {
				if !came[path] {
					t.Errorf("nothing came at %s: %v", path, came)
				}
			}
		})
	}
}
