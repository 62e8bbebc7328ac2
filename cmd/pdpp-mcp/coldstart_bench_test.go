package main_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
	`"capabilities":{},"clientInfo":{"name":"benchmark","version":"1"}}}` + "\n"

// BenchmarkColdStart measures the time from the start of the real binary's process to its initialize answer: with one
// token, and with the grants of a cache. It reports the median, since other load on the machine distorts the mean.
//
//	go test -run '^$' -bench ColdStart -benchtime 10x ./cmd/pdpp-mcp
func BenchmarkColdStart(b *testing.B) {
	directory := b.TempDir()
	binary := filepath.Join(directory, "pdpp-mcp")
	build := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, output)
	}
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object":"schema","bearer":{"token_kind":"client"},"connectors":[]}`)
	}))
	b.Cleanup(provider.Close)
	token := filepath.Join(directory, "token")
	if err := os.WriteFile(token, []byte("scoped-token-of-a-benchmark"), 0o600); err != nil {
		b.Fatal(err)
	}
	cache := &credential.Cache{Root: filepath.Join(directory, "cache")}
	for i := range 8 {
		bearer, err := rs.NewBearer(fmt.Sprintf("scoped-token-of-a-benchmark-%d", i))
		if err != nil {
			b.Fatal(err)
		}
		entry := &credential.Entry{
			ProviderURL: provider.URL,
			Credential:  credential.Credential{AccessToken: bearer, GrantID: fmt.Sprintf("grt_%d", i)},
		}
		if err := cache.Add(entry); err != nil {
			b.Fatal(err)
		}
	}
	for name, flags := range map[string][]string{
		"token":        {"--access-token-file", token},
		"eight-grants": {"--cache-root", cache.Root},
	} {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				times = append(times, initializeOnce(b, binary,
					append([]string{"stdio", "--provider-url", provider.URL}, flags...)...))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms-median")
		})
	}
}

func initializeOnce(b *testing.B, binary string, arguments ...string) time.Duration {
	b.Helper()
	command := exec.CommandContext(b.Context(), binary, arguments...)
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	started := time.Now()
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	if _, err := io.WriteString(stdin, initialize); err != nil {
		b.Fatal(err)
	}
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		b.Fatal(err)
	}
	elapsed := time.Since(started)
	if err := stdin.Close(); err != nil {
		b.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		b.Fatal(err)
	}
	return elapsed
}
