// Command eval asks a candidate questions about a sandbox person over a real MCP server, and scores the answers against
// SQL (R-EVAL-1). docs/evaluation.md says how to run it and how to read its report.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/relay"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := start(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

// start runs the evaluation, or the relay that candidates start in place of a server.
func start(ctx context.Context, arguments []string) error {
	if len(arguments) > 0 && arguments[0] == relay.Verb {
		return relay.Main(ctx, arguments[1:], os.Stdin, os.Stdout, os.Stderr)
	}
	return evaluate(ctx, arguments)
}
