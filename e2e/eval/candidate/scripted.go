package candidate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/relay"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/e2e/seen"
)

// Scripted follows the script of each question with a blind reader. It needs no key, and shows that the answers can be
// reached.
type Scripted struct{}

// Name returns "scripted".
func (Scripted) Name() string { return "scripted" }

// Answer follows the question's script.
func (Scripted) Answer(ctx context.Context, task Task) (Outcome, error) {
	return answerWith(ctx, task, func(call caller) (string, error) {
		var channel blind.Channel = blind.Text{}
		if task.Channel == relay.Structured {
			channel = blind.Structured{}
		}
		var failed error
		sight := func(ctx context.Context, tool, arguments string) string {
			result, err := call(ctx, tool, json.RawMessage(arguments))
			failed = errors.Join(failed, err)
			return result
		}
		text, err := task.Asked.Answer(ctx, blind.NewReader(sight, channel))
		if err != nil && failed == nil {
			return "none: " + err.Error(), nil // the script does not lead to an answer
		}
		return text, failed
	})
}

// caller makes a tool call, and returns what the candidate is shown of its result.
type caller func(ctx context.Context, tool string, arguments any) (string, error)

// answerWith connects to the task's server for a candidate in this process.
func answerWith(ctx context.Context, task Task, answer func(caller) (string, error)) (Outcome, error) {
	session, err := connect(ctx, task)
	if err != nil {
		return Outcome{}, err
	}
	text, err := answer(func(ctx context.Context, tool string, arguments any) (string, error) {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			return "", fmt.Errorf("call %s: %w", tool, err)
		}
		return seen.Text(result)
	})
	err = errors.Join(err, session.close())
	return Outcome{Text: text, Calls: session.calls}, err
}
