package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// caller runs tools for requests. Whatever goes wrong becomes a result, never a protocol error: a
// model sees results, and not every client shows it protocol errors.
type caller struct {
	environment Environment
	timeout     time.Duration
	logger      *slog.Logger
}

func newCaller(options Options, environment Environment) caller {
	logger := options.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return caller{environment: environment, timeout: options.callTimeout(), logger: logger}
}

// errNoResult is a tool that returned neither a result nor an error.
var errNoResult = errors.New("the tool gave no result")

// call answers within the timeout, provided that the tool heeds its context. It never gives nil.
func (c caller) call(ctx context.Context, definition tool.Definition, extra *mcp.RequestExtra, arguments json.RawMessage) (result *tool.Result) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	defer func() {
		if panicked := recover(); panicked != nil {
			c.logPanic(definition.Name, panicked)
			note(ctx, definition.Name, codeOf(&panicError{}))
			result = tool.Failed(&panicError{})
		}
	}()
	result, err := c.run(ctx, definition, extra, arguments)
	if err != nil && ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
		err = c.overdue(err)
	}
	note(ctx, definition.Name, codeOf(err))
	if err != nil {
		return tool.Failed(err)
	}
	return result
}

func (c caller) run(ctx context.Context, definition tool.Definition, extra *mcp.RequestExtra, arguments json.RawMessage) (*tool.Result, error) {
	env, err := c.environment(ctx, extra)
	if err != nil {
		return nil, err
	}
	result, err := definition.Run(ctx, env, arguments)
	if err == nil && result == nil {
		return nil, errNoResult
	}
	return result, err
}

// overdue names the call's own limit, unless the error says more already.
func (c caller) overdue(err error) error {
	var failure *rs.Failure
	if errors.As(err, &failure) {
		return err
	}
	return &rs.Failure{
		Reason: rs.Timeout, Message: fmt.Sprintf("the call took longer than %s", c.timeout),
		NextStep: "ask for less with limit, fields or one connection_id, or try again", Cause: err,
	}
}

// logPanic writes where it happened. The panic's value is logged only when the Go runtime made it,
// since any other may hold record data or a bearer.
func (c caller) logPanic(name string, panicked any) {
	value := fmt.Sprintf("%T", panicked)
	if fault, ok := panicked.(runtime.Error); ok {
		value = fault.Error()
	}
	c.logger.Error("a tool panicked", "tool", name, "panic", value, "stack", string(debug.Stack()))
}

// panicError stands for a panic, whose value nobody outside may see.
type panicError struct{}

func (*panicError) Error() string { return "the tool panicked" }
