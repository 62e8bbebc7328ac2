// Package prometheus counts what a hosted server does and shows it in Prometheus' text format. No other
// package knows the names and labels of metrics.
package prometheus

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/pdppmcp/pdpp-mcp/runtime/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
)

// Metrics is a host.Recorder. Each has its set, so that two servers of one process do not mix. It is
// safe for concurrent use.
type Metrics struct {
	set       *metrics.Set
	durations histograms

	mu    sync.RWMutex
	names map[labelled]string // that were made
}

// labelled is the name of a metric before its labels stand in it.
type labelled struct{ form, first, second string }

var _ host.Recorder = (*Metrics)(nil)

// New starts at zero. What an alert asks for at its first step is there from the beginning: an increase from nothing is none.
func New() *Metrics {
	m := &Metrics{set: metrics.NewSet(), names: make(map[labelled]string)}
	m.lost()
	for _, what := range []Change{ChangedSettings, ChangedSecret} {
		m.Refused(what, false)
	}
	return m
}

// Version shows which version runs.
func (m *Metrics) Version(version string) {
	m.set.GetOrCreateGauge(fmt.Sprintf("pdpp_mcp_build_info{version=%q}", version), nil).Set(1)
}

// Change is what may change while a server runs, as a label.
type Change string

// The changes.
const (
	ChangedSettings Change = "settings"
	ChangedSecret   Change = "secret"
)

// Refused shows whether a change is not in effect, because it was refused.
func (m *Metrics) Refused(what Change, isRefused bool) {
	value := 0.0
	if isRefused {
		value = 1
	}
	m.set.GetOrCreateGauge(fmt.Sprintf("pdpp_mcp_change_refused{what=%q}", string(what)), nil).Set(value)
}

// AuditLineLost counts a line of the audit that could not be written; it is the Lost of an audit.Log.
func (m *Metrics) AuditLineLost() { m.lost().Inc() }

func (m *Metrics) lost() *metrics.Counter {
	return m.set.GetOrCreateCounter("pdpp_mcp_audit_lines_lost_total")
}

// Request counts an HTTP request.
func (m *Metrics) Request(route string, status int, elapsed time.Duration) {
	m.count("pdpp_mcp_http_requests_total{route=%q,status=%q}", route, strconv.Itoa(status))
	m.time(elapsed, "pdpp_mcp_http_request_duration_seconds{route=%q}", route)
}

// Call counts a tool call or a resource read.
func (m *Metrics) Call(tool, code string, elapsed time.Duration) {
	m.count("pdpp_mcp_calls_total{tool=%q,code=%q}", tool, code)
	m.time(elapsed, "pdpp_mcp_call_duration_seconds{tool=%q}", tool)
}

// Read counts a request to the resource server.
func (m *Metrics) Read(status int, elapsed time.Duration) {
	m.count("pdpp_mcp_rs_requests_total{status=%q}", statusClass(status), "")
	m.time(elapsed, "pdpp_mcp_rs_request_duration_seconds", "")
}

// Reading counts an answer that the adapter read itself, and the records that it read.
func (m *Metrics) Reading(kind string, complete bool, records int64) {
	m.count("pdpp_mcp_readings_total{kind=%q,complete=%q}", kind, strconv.FormatBool(complete))
	m.set.GetOrCreateCounter("pdpp_mcp_records_read_total").Add(int(records))
}

// Child counts a read of one source of a package.
func (m *Metrics) Child(result string, elapsed time.Duration) {
	m.count("pdpp_mcp_package_children_total{result=%q}", result, "")
	m.time(elapsed, "pdpp_mcp_package_child_duration_seconds", "")
}

// Authorization counts what the verifier does; pass it as auth.Options.Observe.
func (m *Metrics) Authorization(event auth.Event) {
	m.count("pdpp_mcp_introspections_total{result=%q}", string(event), "")
}

// ServeHTTP shows the metrics of the server and of the process.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	m.set.WritePrometheus(w)
	m.durations.write(w)
	metrics.WriteProcessMetrics(w)
}

func (m *Metrics) count(form, first, second string) {
	m.set.GetOrCreateCounter(m.name(labelled{form, first, second})).Inc()
}

func (m *Metrics) time(elapsed time.Duration, form, label string) {
	m.durations.get(m.name(labelled{form, label, ""})).add(elapsed)
}

// name is the name of a metric with its labels, as many as its form has places for. It is made once, since labels are of closed sets.
func (m *Metrics) name(of labelled) string {
	m.mu.RLock()
	name, isKnown := m.names[of]
	m.mu.RUnlock()
	if isKnown {
		return name
	}
	labels := []any{of.first, of.second}
	name = fmt.Sprintf(of.form, labels[:strings.Count(of.form, "%q")]...)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.names[of] = name
	return name
}

func statusClass(status int) string {
	if status < 100 || status > 599 {
		return "none"
	}
	return classes[status/100]
}

var classes = [...]string{1: "1xx", "2xx", "3xx", "4xx", "5xx"}
