package golden_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/audit"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
)

// BenchmarkHostedCall is a whole call of query_records through the hosted handler with a cached token: 25
// records of 1 kB from a resource server without a network, in an older revision and in the newest, without an audit
// log and with one.
func BenchmarkHostedCall(b *testing.B) {
	for _, revision := range []string{"2025-06-18", newRevision} {
		b.Run(revision, func(b *testing.B) { benchmarkHostedCalls(b, revision, nil) })
	}
	b.Run("audited", func(b *testing.B) {
		log := audit.NewFile(filepath.Join(b.TempDir(), "audit.jsonl"), audit.HostedLimits,
			slog.New(slog.NewTextHandler(b.Output(), nil)))
		benchmarkHostedCalls(b, newRevision, log)
	})
}

func benchmarkHostedCalls(b *testing.B, revision string, log *audit.Log) {
	page := pageOf(25, 1000)
	verifier := benchmarkVerifier(b)
	handler, err := host.NewHandler(gen.Surface(), host.HandlerOptions{
		Options: host.Options{Name: "pdpp-mcp", Version: "test", Options: toolcall.Options{Audit: log}}, Verifier: verifier,
		AuthorizationServer: "https://as.test",
		ProviderURL:         "http://rs.test", ListenAddress: "127.0.0.1:1", Transport: cannedTransport(page),
		Limits: host.Limits{PerSecond: 1e9, Burst: 1e9},
	})
	if err != nil {
		b.Fatal(err)
	}
	call := callOf(revision)
	b.ReportAllocs()
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		request := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "http://127.0.0.1:1/mcp",
			strings.NewReader(call))
		setHostedHeader(request, revision)
		answer := &discarded{header: http.Header{}}
		handler.ServeHTTP(answer, request)
		if answer.status != http.StatusOK || answer.length < len(page) {
			b.Fatalf("%+v", answer)
		}
	}
}

// callOf returns a call of query_records in a revision.
func callOf(revision string) string {
	meta := ""
	if revision == newRevision {
		meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + revision +
			`","io.modelcontextprotocol/clientInfo":{"name":"b","version":"1"},` +
			`"io.modelcontextprotocol/clientCapabilities":{},"progressToken":2},`
	}
	return `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{` + meta +
		`"name":"query_records","arguments":{"stream":"messages","limit":25}}}`
}

func setHostedHeader(request *http.Request, revision string) {
	for name, value := range map[string]string{
		"Authorization": "Bearer scoped-bearer-of-a-test", "Content-Type": "application/json",
		"Accept":               "application/json, text/event-stream",
		"Mcp-Protocol-Version": revision, "Mcp-Method": "tools/call", "Mcp-Name": "query_records",
	} {
		request.Header.Set(name, value)
	}
}

// benchmarkVerifier accepts every token.
func benchmarkVerifier(b *testing.B) *auth.Verifier {
	b.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"active":true,"pdpp_token_kind":"client"}`)
	}))
	b.Cleanup(server.Close)
	verifier, err := auth.NewVerifier(auth.Options{
		IntrospectionURL: server.URL, AuthorizationServer: server.URL, ClientID: "c", ClientSecret: rs.NewSecret("s"),
		Audiences: []string{"http://127.0.0.1:1"},
	})
	if err != nil {
		b.Fatal(err)
	}
	return verifier
}

// cannedTransport answers every request with the same page.
type cannedTransport string

func (c cannedTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(c)),
		Body: io.NopCloser(strings.NewReader(string(c))),
	}, nil
}

// discarded counts an answer and keeps nothing of it.
type discarded struct {
	header http.Header
	status int
	length int
}

func (d *discarded) Header() http.Header { return d.header }

func (d *discarded) WriteHeader(status int) { d.status = status }

func (d *discarded) Write(text []byte) (int, error) {
	if d.status == 0 {
		d.status = http.StatusOK
	}
	d.length += len(text)
	return len(text), nil
}

func (d *discarded) String() string { return fmt.Sprint(d.status, " ", d.length, " bytes") }
