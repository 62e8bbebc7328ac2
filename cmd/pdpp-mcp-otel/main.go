// Command pdpp-mcp-otel is pdpp-mcp with OpenTelemetry's SDK, for servers whose operators collect traces. The SDK with its
// exporters makes a program 9 MB larger, too much for the one that people run on their machines.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/telemetry"
)

// version is the release, set by the linker; empty for other builds.
var version = ""

func main() { os.Exit(run()) }

// run runs the program and returns its exit code.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal, a second one ends the process at once.
	context.AfterFunc(ctx, stop)
	return cli.Execute(ctx, os.Args[1:], invocation.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, version, telemetry.Begin)
}
