package golden_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
)

// BenchmarkSocketCall is BenchmarkHostedCall over real sockets: client, server and resource server are in this process.
// It also reports the processor time of a call, since that varies less on a busy machine.
func BenchmarkSocketCall(b *testing.B) {
	for _, size := range []struct {
		name       string
		rows, size int
	}{{"25 of 1 kB", 25, 1000}, {"1 of 500 B", 1, 500}} {
		b.Run(size.name, func(b *testing.B) { benchmarkSocketCalls(b, pageOf(size.rows, size.size)) })
	}
}

func benchmarkSocketCalls(b *testing.B, page string) {
	verifier := benchmarkVerifier(b)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	address := listener.Addr().String()
	handler, err := host.NewHandler(gen.Surface(), host.HandlerOptions{
		Options: host.Options{
			Name: "pdpp-mcp", Version: "test",
			Options: toolcall.Options{Logger: slog.New(slog.NewJSONHandler(io.Discard, nil))},
		},
		Verifier: verifier, AuthorizationServer: "https://as.test",
		ProviderURL: "http://rs.test", ListenAddress: address, Transport: cannedTransport(page),
		Limits: host.Limits{PerSecond: 1e9, Burst: 1e9},
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- host.Serve(ctx, listener, host.NewCurrent(handler), host.ServeOptions{}) }()
	defer func() { cancel(); <-ended }()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	call := callOf(newRevision)
	before := processorTime()
	for b.Loop() {
		request, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://"+address+"/mcp",
			strings.NewReader(call))
		setHostedHeader(request, newRevision)
		response, err := transport.RoundTrip(request)
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, response.Body); err != nil || n < int64(len(page)) {
			b.Fatal(n, err)
		}
		_ = response.Body.Close()
	}
	b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
}

func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
