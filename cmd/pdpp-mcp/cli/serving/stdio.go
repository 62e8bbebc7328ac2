// Package serving has the commands that serve MCP, and the health check of a server.
package serving

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
)

// NewStdioCommand returns the command that serves one MCP session over standard input and output.
func NewStdioCommand(terminal invocation.Terminal, log *invocation.Log, version string, tracing invocation.Tracing) *cobra.Command {
	var sources invocation.Sources
	var options host.Options
	command := &cobra.Command{
		Use:     "stdio",
		Short:   "Serve MCP over standard input and output with the cached scoped credentials",
		Example: "  pdpp-mcp stdio < /dev/null\n  pdpp-mcp stdio --provider-url https://pdpp.example < /dev/null",
		Args:    invocation.NoArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			tuneMemory(stdioGCPercent)
			ctx, end := context.WithCancel(command.Context())
			defer end()
			logger := log.Logger()
			tracer, endTracing, err := tracing.Begin(ctx, version, logger)
			if err != nil {
				return err
			}
			defer endTracing()
			if tracer != nil {
				sources.Transport = tracer.Transport(rs.NewTransport())
			}
			local, err := sources.Local(ctx, logger)
			if err != nil {
				return err
			}
			options.Version, options.Logger, options.Tracer = version, logger, tracer
			options.Audit, options.Caller = sources.Account(logger)
			streams := host.Streams{In: terminal.In, Out: terminal.Out}
			return host.ServeLocal(ctx, gen.Surface(), options, local, streams)
		},
	}
	sources.AddFlags(command.Flags())
	invocation.AddReadOn(command.Flags(), &options.MaxReads)
	invocation.AddZone(command.Flags(), &options.Clock, true)
	invocation.AddSlowCall(command.Flags(), &options.SlowCall)
	command.Flags().StringVar(&options.Name, "server-name", "pdpp-mcp", "`name` of the server for clients")
	invocation.ReadVariables(command.Flags(), "server-name")
	return command
}

// The GC percentages trade memory for time, since most allocations are garbage after each request. The one for stdio is
// lower, because a local server shares the machine with its user. Near memoryLimit, garbage is collected more often.
// Above it are only bodies and files that calls use at the time: up to 96 and 64 MiB.
const (
	servedGCPercent = 400
	stdioGCPercent  = 300
	memoryLimit     = 160 << 20
)

// tuneMemory sets the GC percentage unless GOGC is set, and the memory limit unless GOMEMLIMIT is set.
func tuneMemory(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
