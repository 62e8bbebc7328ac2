// Command model answers one question with a model behind an API and the tools of one MCP server. The evaluation starts it for
// each attempt (e2e/eval/candidate). It is a separate module, so that the SDKs of Anthropic and OpenAI stay out of the server's
// dependencies.
//
// It reads a task as JSON from standard input and writes the outcome to standard output. The key is in the environment variable
// that the task names. The server does not inherit it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Task is a question with the server and model that answer it.
type Task struct {
	API         string   `json:"api"` // anthropic or openai
	Model       string   `json:"model"`
	BaseURL     string   `json:"base_url,omitempty"` // empty for the provider's
	KeyVariable string   `json:"key_variable"`
	Prompt      string   `json:"prompt"`
	Server      []string `json:"server"`      // command
	Environment []string `json:"environment"` // of the server
	MaxTurns    int      `json:"max_turns"`
	MaxTokens   int64    `json:"max_tokens"` // of one answer
}

// Outcome is the last text of the model and what it used.
type Outcome struct {
	Text         string `json:"text"`
	InputTokens  int64  `json:"input_tokens"`
	OutputTokens int64  `json:"output_tokens"`
	Error        string `json:"error,omitempty"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var task Task
	if err := json.NewDecoder(os.Stdin).Decode(&task); err != nil {
		fmt.Fprintln(os.Stderr, "model: read the task:", err)
		os.Exit(1)
	}
	outcome, err := answer(ctx, task)
	if err != nil {
		outcome.Error = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(outcome); err != nil {
		fmt.Fprintln(os.Stderr, "model: write the outcome:", err)
		os.Exit(1)
	}
}

// conversation is the state of one API's conversation.
type conversation interface {
	// next asks for the next answer.
	next(ctx context.Context) (turn, error)
	// results adds the results of the last answer's calls.
	results(results []result)
}

// turn is an answer of the model.
type turn struct {
	text                      string
	calls                     []call
	inputTokens, outputTokens int64
}

type call struct{ id, tool, arguments string }

type result struct {
	call
	content []mcp.Content
	failed  bool
}

// Errors of a conversation.
var (
	errTurns     = errors.New("the model has not answered within the limit of turns")
	errTruncated = errors.New("the answer of the model was cut off")
	errAPI       = errors.New("unknown api: use anthropic or openai")
	errKey       = errors.New("no key in the environment variable")
)

// truncatedTries is the number of requests for an answer that is truncated. The SDKs repeat requests that fail earlier.
const truncatedTries = 3

// sdkRetries is the number of times that an SDK repeats a request after a rate limit or a failure of the provider.
const sdkRetries = 8

func answer(ctx context.Context, task Task) (outcome Outcome, err error) {
	key := os.Getenv(task.KeyVariable)
	if key == "" {
		return outcome, fmt.Errorf("%w %s", errKey, task.KeyVariable)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "pdpp-eval-model", Version: "1"}, nil)
	session, err := client.Connect(ctx, serverOf(ctx, task), nil)
	if err != nil {
		return outcome, fmt.Errorf("connect to the server: %w", err)
	}
	defer session.Close()
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		return outcome, fmt.Errorf("list the tools: %w", err)
	}
	instructions := ""
	if initialized := session.InitializeResult(); initialized != nil {
		instructions = initialized.Instructions
	}
	var model conversation
	switch task.API {
	case "anthropic":
		model = newMessages(task, key, instructions, listed.Tools)
	case "openai":
		model = newCompletions(task, key, instructions, listed.Tools)
	default:
		return outcome, fmt.Errorf("%w, not %q", errAPI, task.API)
	}
	for range task.MaxTurns {
		answered, err := whole(ctx, model)
		outcome.InputTokens += answered.inputTokens
		outcome.OutputTokens += answered.outputTokens
		if err != nil {
			return outcome, err
		}
		if outcome.Text = answered.text; len(answered.calls) == 0 {
			return outcome, nil
		}
		var results []result
		for _, each := range answered.calls {
			results = append(results, callTool(ctx, session, each))
		}
		model.results(results)
	}
	return outcome, errTurns
}

// serverOf starts the server of a task. It inherits nothing, so that it does not have the key.
func serverOf(ctx context.Context, task Task) mcp.Transport {
	server := exec.CommandContext(ctx, task.Server[0], task.Server[1:]...)
	server.Env, server.Stderr = task.Environment, os.Stderr
	return &mcp.CommandTransport{Command: server}
}

// whole asks again for an answer that was truncated.
func whole(ctx context.Context, model conversation) (answered turn, err error) {
	for range truncatedTries {
		var again turn
		again, err = model.next(ctx)
		again.inputTokens += answered.inputTokens
		again.outputTokens += answered.outputTokens
		answered = again
		if !errors.Is(err, errTruncated) {
			break
		}
	}
	return answered, err
}

// callTool makes a call. A call that fails is a result that says so, so that the model can go another way.
func callTool(ctx context.Context, session *mcp.ClientSession, made call) result {
	failed := func(err error) result {
		return result{call: made, failed: true, content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}
	}
	arguments := json.RawMessage(made.arguments)
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	if !json.Valid(arguments) {
		return failed(fmt.Errorf("the arguments are not JSON: %s", made.arguments)) //nolint:err113 // for the model
	}
	answered, err := session.CallTool(ctx, &mcp.CallToolParams{Name: made.tool, Arguments: arguments})
	if err != nil {
		return failed(err)
	}
	return result{call: made, content: answered.Content, failed: answered.IsError}
}
