package prometheus_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/prometheus"
)

// Covers R-OPS-2 and R-OPS-3: what a replica cannot do is shown from its start on, so that the first time counts.
func TestWhatAReplicaCannotDo(t *testing.T) {
	counted := prometheus.New()
	shows := func(lines ...string) {
		t.Helper()
		answer := httptest.NewRecorder()
		counted.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
		for _, line := range lines {
			if !strings.Contains(answer.Body.String(), line+"\n") {
				t.Errorf("the metrics lack %s\n%s", line, answer.Body)
			}
		}
	}
	shows(`pdpp_mcp_audit_lines_lost_total 0`, `pdpp_mcp_change_refused{what="settings"} 0`,
		`pdpp_mcp_change_refused{what="secret"} 0`)
	counted.AuditLineLost()
	counted.Refused(prometheus.ChangedSecret, true)
	counted.Version("1.2.3")
	shows(`pdpp_mcp_audit_lines_lost_total 1`, `pdpp_mcp_change_refused{what="secret"} 1`,
		`pdpp_mcp_build_info{version="1.2.3"} 1`)
	counted.Refused(prometheus.ChangedSecret, false)
	shows(`pdpp_mcp_change_refused{what="secret"} 0`)
}

// Covers R-OPS-1: durations are histograms with the buckets of every replica, which add up.
func TestHistograms(t *testing.T) {
	counted := prometheus.New()
	for _, elapsed := range []time.Duration{
		0, time.Millisecond, 3 * time.Millisecond,
		70 * time.Millisecond, time.Minute,
	} {
		counted.Call("a_tool", "ok", elapsed)
	}
	counted.Read(200, 20*time.Millisecond)
	answer := httptest.NewRecorder()
	counted.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	for _, line := range []string{
		`pdpp_mcp_calls_total{tool="a_tool",code="ok"} 5`,
		`pdpp_mcp_call_duration_seconds_bucket{tool="a_tool",le="0.001"} 2`,
		`pdpp_mcp_call_duration_seconds_bucket{tool="a_tool",le="0.0025"} 2`,
		`pdpp_mcp_call_duration_seconds_bucket{tool="a_tool",le="0.005"} 3`,
		`pdpp_mcp_call_duration_seconds_bucket{tool="a_tool",le="0.1"} 4`,
		`pdpp_mcp_call_duration_seconds_bucket{tool="a_tool",le="25"} 4`,
		`pdpp_mcp_call_duration_seconds_bucket{tool="a_tool",le="+Inf"} 5`,
		`pdpp_mcp_call_duration_seconds_sum{tool="a_tool"} 60.074`,
		`pdpp_mcp_call_duration_seconds_count{tool="a_tool"} 5`,
		`pdpp_mcp_rs_request_duration_seconds_bucket{le="0.025"} 1`,
		`pdpp_mcp_rs_request_duration_seconds_count 1`,
	} {
		if !strings.Contains(answer.Body.String(), line+"\n") {
			t.Errorf("the metrics lack %s\n%s", line, answer.Body)
			break
		}
	}
}
