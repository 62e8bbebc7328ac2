// Command pdpp-mcp serves personal data of a PDPP resource server to MCP clients, read-only.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// version is the release, set by the linker; empty for other builds.
var version = ""

func main() { os.Exit(run()) }

// run runs the program and returns its exit code.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal, a second one ends the process at once.
	context.AfterFunc(ctx, stop)
	return cli.Execute(ctx, os.Args[1:], invocation.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, version, nil)
}
