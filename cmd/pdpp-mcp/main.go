// Command pdpp-mcp serves personal data of a PDPP resource server to MCP clients, read-only.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// terminal is what a command talks through.
type terminal struct {
	in  io.ReadCloser
	out io.Writer
	err io.Writer
}

func main() { os.Exit(run()) }

// run is the whole program, and gives its exit code.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal the next one ends the process at once.
	context.AfterFunc(ctx, stop)
	return execute(ctx, os.Args[1:], terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr})
}
