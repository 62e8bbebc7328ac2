package host_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-SCAN-8: computed answers are counted and in the log line of the call; callers are distinguished without a bearer.
func TestReadingsAreCounted(t *testing.T) {
	var callers []string
	h := newHosted(t, func(with *hostedWith) {
		with.options.MaxReads = 100
		with.surface = testSurface(running("read",
			func(ctx context.Context, env tool.Env, _ json.RawMessage) (*tool.Result, error) {
				callers = append(callers, env.Caller)
				env.Readings.Observe(ctx, "rows", answer.Reading{Read: 7, Matched: 2, Complete: true})
				return &tool.Result{Text: "read"}, nil
			}))
	})
	for range 2 {
		if got := h.post(t, callOf("read", "{}")); got.status != http.StatusOK {
			t.Fatal(got.status, got.body)
		}
	}
	scraped := httptest.NewRecorder()
	h.metrics.ServeHTTP(scraped, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, want := range []string{
		`pdpp_mcp_readings_total{kind="rows",complete="true"} 2`,
		`pdpp_mcp_records_read_total 14`,
	} {
		if !strings.Contains(scraped.Body.String(), want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if log := h.log.String(); !strings.Contains(log, `"records_read":7,"complete":true`) {
		t.Errorf("the log lacks what was read:\n%s", log)
	}
	if len(callers) != 2 || callers[0] == "" || callers[0] != callers[1] || strings.Contains(callers[0], "tok-") {
		t.Errorf("callers %q", callers)
	}
}

// With a limit of 0, no call can compute an answer from records.
func TestNoReadingsByDefault(t *testing.T) {
	h := newHosted(t, func(with *hostedWith) {
		with.surface = testSurface(running("read",
			func(_ context.Context, env tool.Env, _ json.RawMessage) (*tool.Result, error) {
				if env.Readings != nil {
					t.Error("a call may read")
				}
				return &tool.Result{Text: "read"}, nil
			}))
	})
	h.post(t, callOf("read", "{}"))
}
