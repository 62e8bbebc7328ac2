package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// A signal ends a local server cleanly, also while it waits for the resource server.
func TestSignalsEndStdio(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // Windows sends no such signals
	}
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
				<-request.Context().Done()
			}))
			defer silent.Close()
			command := exec.CommandContext(t.Context(), "pdpp-mcp", "stdio", "--provider-url", silent.URL)
			command.Env = append(os.Environ(), "PDPP_ACCESS_TOKEN=scoped-token-of-a-test")
			var stderr strings.Builder
			command.Stderr = &stderr
			input, err := command.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			output, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(input,
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},`+
					`"clientInfo":{"name":"test","version":"1"}}}`+"\n"); err != nil {
				t.Fatal(err)
			}
			if _, err := bufio.NewReader(output).ReadBytes('\n'); err != nil {
				t.Fatal(err)
			}
			if err := command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := command.Wait(); err != nil || stderr.Len() > 0 {
				t.Errorf("ended with %v and %q on stderr, want neither", err, stderr.String())
			}
		})
	}
}
