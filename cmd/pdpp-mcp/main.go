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

// version is set by the linker for releases.
var version = ""

func main() { os.Exit(run()) }

// run is the whole program, and gives its exit code.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal the next one ends the process at once.
	context.AfterFunc(ctx, stop)
	return cli.Execute(ctx, os.Args[1:], invocation.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, version)
}
