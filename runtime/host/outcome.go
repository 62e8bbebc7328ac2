package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// outcome is what became of one MCP request. Its strings come from closed sets.
type outcome struct {
	tool string // empty when no tool was run
	code string // ok, or the code of the error
}

type outcomeKey struct{}

// note keeps the outcome of a tool for whoever asked for it.
func note(ctx context.Context, name, code string) {
	if kept, ok := ctx.Value(outcomeKey{}).(*outcome); ok {
		kept.tool, kept.code = name, code
	}
}

const codeOK = "ok"

// codeOf names an error without repeating what a resource server wrote: its codes are an open set.
func codeOf(err error) string {
	var own *tool.Error
	var unusable *rs.Failure
	var refused *rs.Error
	switch {
	case err == nil:
		return codeOK
	case errors.As(err, &own):
		return string(own.Code)
	case errors.As(err, &unusable):
		return string(unusable.Reason)
	case errors.As(err, &refused):
		return fmt.Sprintf("rs_%d", refused.Status)
	}
	return string(tool.Internal)
}

// outcomeLog writes one line for each MCP request: who, what and how long, but no argument and no answer.
type outcomeLog struct {
	logger   *slog.Logger
	recorder Recorder
}

// observe runs a request and logs what became of it. The method is one that the SDK knows, never what a
// client wrote.
func (l outcomeLog) observe(ctx context.Context, hosted *hostedRequest, method string, run func(context.Context) error) error {
	started := time.Now()
	became := &outcome{code: codeOK}
	err := run(context.WithValue(ctx, outcomeKey{}, became))
	elapsed := time.Since(started)
	var failed *jsonrpc.Error
	switch {
	case became.tool != "":
		l.recorder.Call(became.tool, became.code, elapsed)
	case errors.As(err, &failed):
		became.code = "jsonrpc_" + strconv.FormatInt(failed.Code, 10)
	case err != nil:
		became.code = "jsonrpc_error"
	}
	logOutcome(ctx, l.logger, hosted, method, *became, elapsed)
	return err
}

// middleware observes what the SDK serves. The SDK refuses methods that it does not know before.
func (l outcomeLog) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
		err = l.observe(ctx, requestOfExtra(request.GetExtra()), method, func(ctx context.Context) error {
			result, err = next(ctx, method, request)
			return err
		})
		return result, err
	}
}

func logOutcome(ctx context.Context, logger *slog.Logger, hosted *hostedRequest, method string, became outcome, elapsed time.Duration) {
	attributes := []slog.Attr{slog.String("method", method)}
	if became.tool != "" {
		attributes = append(attributes, slog.String("tool", became.tool))
	}
	attributes = append(attributes, slog.String("code", became.code), slog.Duration("duration", elapsed))
	if hosted != nil {
		attributes = append(attributes, slog.String("request_id", hosted.id))
		if hosted.caller != nil {
			attributes = append(attributes, slog.String("caller", hosted.caller.TokenHash))
		}
	}
	logger.LogAttrs(ctx, slog.LevelInfo, "request", attributes...)
}

// refuseListening: a subscription waits for changes of lists, and these never change. It would hold a
// connection for nothing.
func refuseListening(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		if method == methodListen {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this server has nothing to subscribe to: its lists never change"}
		}
		return next(ctx, method, request)
	}
}
