package main

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/candidate"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/replay"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/run"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// Errors of flags that do not fit together.
var (
	errPrice   = errors.New("invalid --price: use dollars per million tokens of input and output, such as 3,15")
	errNoPrice = errors.New("--max-cost needs --price, because the API does not report what a model costs")
	errSQLTool = errors.New("invalid --sql-tool: use a tool and its argument, such as read_query.query")
)

// choose makes the candidate of the flags. The caller calls stop when the run is over.
func (f *flags) choose(ctx context.Context) (stop func(), err error) {
	stop = func() {}
	if f.replay != "" {
		if stop, err = f.startReplay(); err != nil {
			return stop, err
		}
	}
	price, err := f.prices()
	if err != nil {
		return stop, err
	}
	switch {
	case f.agent != "":
		f.Candidate, err = f.chosenAgent(ctx, price)
	case f.model != "":
		f.Candidate, err = f.chosenModel(ctx, price)
	case f.sqlTool != "":
		tool, argument, found := strings.Cut(f.sqlTool, ".")
		if !found {
			return stop, fmt.Errorf("%w (%q)", errSQLTool, f.sqlTool)
		}
		f.Candidate = candidate.SQL{Tool: tool, Argument: argument}
	default:
		f.Candidate = candidate.Scripted{}
	}
	if err == nil && f.Folder == "" {
		f.Folder = filepath.Join("bin", "eval", strings.NewReplacer("/", "-", ":", "-").Replace(f.Candidate.Name())+"-"+
			run.Build(f.Server))
	}
	return stop, err
}

// prices reads --price.
func (f *flags) prices() (price candidate.Price, err error) {
	if f.price != "" {
		if _, err := fmt.Sscanf(f.price, "%g,%g", &price.Input, &price.Output); err != nil {
			return price, fmt.Errorf("%w (%q)", errPrice, f.price)
		}
	}
	if f.Dollars > 0 && f.price == "" && f.agent != "claude" && (f.model != "" || f.agent != "") {
		return price, errNoPrice
	}
	return price, nil
}

func (f *flags) chosenAgent(ctx context.Context, price candidate.Price) (candidate.Candidate, error) {
	agent, err := candidate.NewAgent(f.agent)
	if err != nil {
		return nil, err
	}
	agent.Model, agent.BaseURL, agent.Price, agent.Environment = f.model, f.baseURL, price, run.Environment()
	f.useKey(&agent.KeyVariable)
	return agent, agent.Ready(ctx)
}

func (f *flags) chosenModel(ctx context.Context, price candidate.Price) (candidate.Candidate, error) {
	model, err := candidate.NewModel(f.model)
	if err != nil {
		return nil, err
	}
	model.BaseURL, model.Price, model.Environment = f.baseURL, price, run.Environment()
	if f.replay != "" && model.API == "openai" {
		model.BaseURL += "/v1"
	}
	f.useKey(&model.KeyVariable)
	if err := model.Ready(); err != nil {
		return nil, err
	}
	model.Program, err = buildModel(ctx)
	return model, err
}

// useKey lets a candidate use the variable of --key-variable. What the variable has is never written.
func (f *flags) useKey(variable *string) {
	if f.keyVariable != "" {
		*variable = f.keyVariable
	}
	f.Secrets = append(f.Secrets, os.Getenv(*variable))
}

// buildModel builds the program with the SDKs, which is a separate module.
func buildModel(ctx context.Context) (string, error) {
	program, err := filepath.Abs(filepath.Join("bin", "pdpp-eval-model"))
	if err != nil {
		return "", fmt.Errorf("find bin: %w", err)
	}
	fmt.Fprintln(os.Stderr, "building bin/pdpp-eval-model (the SDKs take some minutes the first time)")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", program, ".")
	build.Dir = filepath.Join("e2e", "eval", "model")
	if printed, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program with the SDKs, from the root of the repository: %w\n%s", err, printed)
	}
	return program, nil
}

// replayKey is the variable with the key of a replayed model. The key is not one of a provider.
const (
	replayKeyVariable = "PDPP_EVAL_REPLAY_KEY"
	replayKey         = "replayed-key-0000"
)

// startReplay serves the attempts of a run in place of a model.
func (f *flags) startReplay() (stop func(), err error) {
	recorded, err := transcript.Read(filepath.Join(f.replay, run.File))
	if err != nil {
		return func() {}, err
	}
	server := httptest.NewServer(replay.New(replay.Recorded(recorded)...).Handler())
	f.baseURL, f.keyVariable = server.URL, replayKeyVariable
	return server.Close, os.Setenv(replayKeyVariable, replayKey)
}
