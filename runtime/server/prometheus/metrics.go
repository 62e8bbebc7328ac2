// Package prometheus counts what a hosted server does, in Prometheus' text format. Names and labels of metrics are
// defined here only.
package prometheus

import (
	"fmt"
	"net/http"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
)

// Metrics is a toolcall.Recorder. Each has its own set, so that two servers in one process do not mix. It is safe for
// concurrent use.
type Metrics struct{ set *metrics.Set }

var _ toolcall.Recorder = (*Metrics)(nil)

// New starts at zero. It creates the metrics of alerts at once, because an alert does not see the increase of a metric
// that did not exist.
func New() *Metrics {
	m := &Metrics{metrics.NewSet()}
	m.lost()
	for _, what := range []Change{ChangedSettings, ChangedSecret} {
		m.Refused(what, false)
	}
	return m
}

// Version sets the running version.
func (m *Metrics) Version(version string) {
	m.set.GetOrCreateGauge(fmt.Sprintf("pdpp_mcp_build_info{version=%q}", version), nil).Set(1)
}

// Change is a kind of change of a running server, as a label.
type Change string

// The changes.
const (
	ChangedSettings Change = "settings"
	ChangedSecret   Change = "secret"
)

// Refused sets whether the last change was refused.
func (m *Metrics) Refused(what Change, isRefused bool) {
	value := 0.0
	if isRefused {
		value = 1
	}
	m.set.GetOrCreateGauge(fmt.Sprintf("pdpp_mcp_change_refused{what=%q}", string(what)), nil).Set(value)
}

// AuditLineLost counts a lost audit line. Pass it as audit.Log.Lost.
func (m *Metrics) AuditLineLost() { m.lost().Inc() }

func (m *Metrics) lost() *metrics.Counter {
	return m.set.GetOrCreateCounter("pdpp_mcp_audit_lines_lost_total")
}

// Request counts an HTTP request.
func (m *Metrics) Request(route string, status int, elapsed time.Duration) {
	m.count("pdpp_mcp_http_requests_total{route=%q,status=\"%d\"}", route, status)
	m.time(elapsed, "pdpp_mcp_http_request_duration_seconds{route=%q}", route)
}

// Call counts a tool call or a resource read.
func (m *Metrics) Call(tool, code string, elapsed time.Duration) {
	m.count("pdpp_mcp_calls_total{tool=%q,code=%q}", tool, code)
	m.time(elapsed, "pdpp_mcp_call_duration_seconds{tool=%q}", tool)
}

// Read counts a request to the resource server.
func (m *Metrics) Read(status int, elapsed time.Duration) {
	m.count("pdpp_mcp_rs_requests_total{status=%q}", statusClass(status))
	m.time(elapsed, "pdpp_mcp_rs_request_duration_seconds")
}

// Reading counts an answer that the adapter computed from records, and the records that it read.
func (m *Metrics) Reading(kind string, complete bool, records int64) {
	m.count("pdpp_mcp_readings_total{kind=%q,complete=\"%t\"}", kind, complete)
	m.set.GetOrCreateCounter("pdpp_mcp_records_read_total").Add(int(records))
}

// Child counts a read of one source of a package.
func (m *Metrics) Child(result string, elapsed time.Duration) {
	m.count("pdpp_mcp_package_children_total{result=%q}", result)
	m.time(elapsed, "pdpp_mcp_package_child_duration_seconds")
}

// Authorization counts the events of a verifier; pass it as auth.Options.Observe.
func (m *Metrics) Authorization(event auth.Event) {
	m.count("pdpp_mcp_introspections_total{result=%q}", event)
}

// ServeHTTP shows the metrics of the server and of the process.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	m.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}

func (m *Metrics) count(form string, labels ...any) {
	m.set.GetOrCreateCounter(fmt.Sprintf(form, labels...)).Inc()
}

// bounds are the upper bounds of the buckets in seconds. They are the same in every histogram and every replica, so
// that histograms can be added up (R-OPS-1). A call ends within 25 s.
var bounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25}

func (m *Metrics) time(elapsed time.Duration, form string, labels ...any) {
	m.set.GetOrCreatePrometheusHistogramExt(fmt.Sprintf(form, labels...), bounds).Update(elapsed.Seconds())
}

func statusClass(status int) string {
	if status < 100 || status > 599 {
		return "none"
	}
	return fmt.Sprintf("%dxx", status/100)
}
