package invocation

import (
	"context"
	"log/slog"

	"github.com/pdppmcp/pdpp-mcp/runtime/host/toolcall"
)

// Tracing makes what follows the calls of a server of a version (R-OPS-1), and a function that sends what is left when the server
// ends. It gives a nil Tracer when the environment names no place to send to. Nil is a program that cannot trace.
type Tracing func(ctx context.Context, version string, logger *slog.Logger) (toolcall.Tracer, func(), error)

// Begin is the Tracing itself, or without one no Tracer.
func (t Tracing) Begin(ctx context.Context, version string, logger *slog.Logger) (toolcall.Tracer, func(), error) {
	if t == nil {
		return nil, func() {}, nil
	}
	return t(ctx, version, logger)
}
