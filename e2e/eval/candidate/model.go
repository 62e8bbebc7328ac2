package candidate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// Model is a model behind an API. It runs in the program of e2e/eval/model, which has the SDKs of the providers.
type Model struct {
	Program     string // path
	API         string // anthropic or openai
	Model       string
	BaseURL     string // empty for the provider's own
	KeyVariable string // environment variable of the key
	Price       Price
	Environment []string // of the program, without the key
}

// Errors of a model that is named wrongly, and of one that failed.
var (
	ErrModel  = errors.New("invalid --model: use anthropic/NAME or openai/NAME; --base-url names a compatible server")
	ErrFailed = errors.New("the model failed")
)

// NewModel returns the model of a name such as anthropic/claude-sonnet-5.
func NewModel(name string) (Model, error) {
	api, model, _ := strings.Cut(name, "/")
	variables := map[string]string{"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
	if variables[api] == "" || model == "" {
		return Model{}, fmt.Errorf("%w (%q)", ErrModel, name)
	}
	return Model{API: api, Model: model, KeyVariable: variables[api]}, nil
}

// Name returns the name by which the model was chosen.
func (m Model) Name() string { return m.API + "/" + m.Model }

// Ready returns an error if there is no key.
func (m Model) Ready() error {
	_, err := keyFrom(m.KeyVariable)
	return err
}

// The limits of one attempt.
const (
	maxTurns  = 30
	maxTokens = 8_000 // of one answer of the model
)

// Answer runs the program with the task.
func (m Model) Answer(ctx context.Context, task Task) (Outcome, error) {
	key, err := keyFrom(m.KeyVariable)
	if err != nil {
		return Outcome{}, err
	}
	server, err := relayOf(task)
	if err != nil {
		return Outcome{}, err
	}
	input, err := json.Marshal(map[string]any{
		"api": m.API, "model": m.Model, "base_url": m.BaseURL, "key_variable": m.KeyVariable, "prompt": task.Prompt(),
		"server": server.command, "environment": m.Environment, "max_turns": maxTurns, "max_tokens": maxTokens,
	})
	if err != nil {
		return Outcome{}, fmt.Errorf("encode the task: %w", err)
	}
	printed, complained, err := runProgram(ctx, task.Folder, append(m.Environment, m.KeyVariable+"="+key),
		strings.NewReader(string(input)), m.Program)
	if err != nil {
		return Outcome{}, fmt.Errorf("%w\n%s", err, complained)
	}
	var output struct {
		Text, Error  string
		InputTokens  int64 `json:"input_tokens"`
		OutputTokens int64 `json:"output_tokens"`
	}
	if err := json.Unmarshal([]byte(printed), &output); err != nil {
		return Outcome{}, fmt.Errorf("read the outcome: %w", err)
	}
	calls, err := transcript.ReadCalls(server.calls)
	outcome := Outcome{Text: output.Text, Calls: calls, Usage: m.Price.of(output.InputTokens, output.OutputTokens)}
	if output.Error != "" {
		err = errors.Join(err, fmt.Errorf("%w: %s", ErrFailed, output.Error))
	}
	return outcome, err
}
