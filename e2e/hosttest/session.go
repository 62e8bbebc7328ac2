// Package hosttest serves a surface to the SDK's client within a test.
package hosttest

import (
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Options configures a server for a test.
var Options = host.Options{Name: "pdpp-mcp", Version: "test", Options: toolcall.Options{MaxReads: tool.DefaultReadOn}}

// Serve serves a surface until the test ends, and returns the client's side of the session.
func Serve(t testing.TB, surface tool.Surface, options host.Options, environment toolcall.Environment) mcp.Transport {
	t.Helper()
	input, toServer := io.Pipe()
	fromServer, output := io.Pipe()
	go func() {
		// the client sees it end
		_ = host.ServeSession(t.Context(), surface, options, environment, host.Streams{In: input, Out: output})
		_ = output.Close()
	}()
	return &mcp.IOTransport{Reader: fromServer, Writer: toServer}
}

// Connect serves a surface, and returns the session of a connected client.
func Connect(t testing.TB, surface tool.Surface, options host.Options,
	environment toolcall.Environment,
) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "test"}, nil)
	session, err := client.Connect(t.Context(), Serve(t, surface, options, environment), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}
