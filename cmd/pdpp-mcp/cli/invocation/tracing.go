package invocation

import (
	"context"
	"log/slog"

	"github.com/pdppmcp/pdpp-mcp/runtime/host/toolcall"
)

// Tracing starts the tracer of a server (R-OPS-1) and returns a function that flushes it. The Tracer is nil if the environment names
// no endpoint. A program that cannot trace has a nil Tracing.
type Tracing func(ctx context.Context, version string, logger *slog.Logger) (toolcall.Tracer, func(), error)

// Begin starts the tracer, if there is one.
func (t Tracing) Begin(ctx context.Context, version string, logger *slog.Logger) (toolcall.Tracer, func(), error) {
	if t == nil {
		return nil, func() {}, nil
	}
	return t(ctx, version, logger)
}
