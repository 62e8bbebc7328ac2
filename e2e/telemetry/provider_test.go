// Package telemetry_test follows calls from a client to the resource server, through the real hosted server.
package telemetry_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/audit"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/telemetry"
)

// planted is in every record, in every argument and in the token. It must not appear anywhere else.
const planted = "planted-secret-of-a-test"

const bearer = "bearer-with-" + planted

// provider is an authorization and a resource server. The latter knows the stream messages, the connection cin_1 and
// the field body, and refuses every other name.
type provider struct {
	*httptest.Server

	mu    sync.Mutex
	reads []http.Header
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

const record = `{"object":"record","id":"` + planted + `","stream":"messages","connection_id":"cin_1","data":{"id":"` +
	planted + `","body":"` + planted + `"}}`

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/introspect" {
		_, _ = io.WriteString(w, `{"active":true,"pdpp_token_kind":"client","client_id":"cli_1","grant_id":"grt_1"}`)
		return
	}
	p.mu.Lock()
	p.reads = append(p.reads, r.Header.Clone())
	p.mu.Unlock()
	status, body := answer(r)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func answer(r *http.Request) (status int, body string) {
	query, path := r.URL.Query(), strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	unknown := func(name string, values ...string) bool {
		return slices.ContainsFunc(strings.Split(query.Get(name), ","), func(each string) bool {
			return each != "" && !slices.Contains(values, each)
		})
	}
	switch {
	case path[0] == "schema":
		return 200, `{"object":"schema","bearer":{"token_kind":"client"},"connectors":[{"connector_key":"mail",` +
			`"granted_connections":[{"connection_id":"cin_1"}],` +
			`"streams":[{"name":"messages","field_capabilities":{"body":{"type":"string"}}}]}]}`
	case path[0] == "search":
		return 200, `{"object":"list","data":[{"object":"search_result","stream":"messages","record_key":"` + planted +
			`","connection_id":"cin_1"}],"has_more":false}`
	case unknown("connection_id", "cin_1"), len(path) < 3, path[1] != "messages":
		return 404, `{"error":{"type":"not_found_error","code":"not_found","message":"no ` + planted + `"}}`
	case unknown("fields", "id", "body"), unknown("field", "body"), unknown("group_by", "body"):
		return 400, `{"error":{"type":"invalid_request_error","code":"unknown_field","message":"no ` + planted + `"}}`
	case strings.Contains(r.URL.RawQuery, "filter") && !query.Has("filter[body]"),
		strings.TrimPrefix(query.Get("sort"), "-") == planted:
		return 400, `{"error":{"type":"invalid_request_error","code":"unknown_field","message":"no ` + planted + `"}}`
	case path[2] == "aggregate":
		return 200, `{"object":"aggregation","stream":"messages","metric":"count","group_by":"body","groups":[{"key":"` +
			planted + `","count":1}]}`
	case len(path) == 3:
		return 200, `{"object":"list","data":[` + record + `],"has_more":false}`
	case len(path) == 4:
		return 200, record
	}
	return 200, `{"object":"field_window","record_id":"` + planted +
		`","stream":"messages","field":{"path":"body","type":"string"},` +
		`"window":{"text":"` + planted +
		`","start_chars":0,"end_chars":24,"total_chars":24,"limit_chars":4096,"complete":true,"has_more":false}}`
}

// taken returns the headers of the reads since the last time.
func (p *provider) taken() []http.Header {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.reads
	p.reads = nil
	return taken
}

// watched is a hosted server with its logs, metrics and traces.
type watched struct {
	*provider
	endpoint string
	spans    *tracetest.InMemoryExporter
	metrics  *sdkmetric.ManualReader
	audit    string // its file
	log      *hosttest.Journal
}

func watch(t *testing.T) *watched {
	t.Helper()
	w := &watched{
		provider: newProvider(t), spans: tracetest.NewInMemoryExporter(), metrics: sdkmetric.NewManualReader(),
		audit: filepath.Join(t.TempDir(), "audit.jsonl"), log: &hosttest.Journal{},
	}
	tracer, err := telemetry.New(sdktrace.NewTracerProvider(sdktrace.WithSyncer(w.spans)),
		sdkmetric.NewMeterProvider(sdkmetric.WithReader(w.metrics)))
	if err != nil {
		t.Fatal(err)
	}
	w.endpoint = hosttest.ServeHosted(t, gen.Surface(), hosttest.Upstream{
		URL: w.URL, IntrospectionURL: w.URL + "/introspect", ClientID: "adapter", Secret: "secret-of-introspection",
	}, func(options *host.HandlerOptions) {
		options.Tracer, options.Limits = tracer, host.Limits{PerSecond: 1e9, Burst: 1e9}
		options.Logger = slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		options.SlowCall = 1 // every call is logged with its reads
		options.Audit = audit.NewFile(w.audit, audit.HostedLimits, options.Logger)
	})
	return w
}

// post sends a message and returns the answer.
func (w *watched) post(t *testing.T, message string, header ...string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.endpoint, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + bearer, "Content-Type": "application/json",
		"Accept":               "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2025-06-18",
	} {
		request.Header.Set(name, value)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%v %d %s", err, response.StatusCode, body)
	}
	return string(body)
}
