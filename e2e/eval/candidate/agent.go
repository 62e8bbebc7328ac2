package candidate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// Agent is an installed agent in its non-interactive mode. It gets a new home for each attempt, with the one MCP server
// and nothing of its user's settings.
type Agent struct {
	Model       string // empty for the agent's default
	BaseURL     string // empty for the provider's own
	KeyVariable string
	Price       Price    // for agents that do not report their cost
	Environment []string // of the agent, without the key

	kind    agentKind
	program string // path
}

// agentKind has the differences between agents.
type agentKind struct {
	name        string
	install     string // how to install it
	keyVariable string
	// write prepares the home, and returns the arguments and the environment of the agent.
	write func(home agentHome, a Agent, prompt string) (arguments, environment []string, err error)
	// read finds the last text and the usage in what the agent prints.
	read func(home agentHome, a Agent, printed string) (text string, usage transcript.Usage, err error)
}

var agentKinds = []agentKind{claude, codex, gemini}

// serverName is the name of a task's server for agents.
const serverName = "data"

// Errors of an agent.
var (
	ErrAgent     = errors.New("unknown --agent: use claude, codex or gemini")
	ErrInstalled = errors.New("the agent is not installed")
)

// NewAgent returns the installed agent of a name.
func NewAgent(name string) (Agent, error) {
	place := slices.IndexFunc(agentKinds, func(kind agentKind) bool { return kind.name == name })
	if place < 0 {
		return Agent{}, fmt.Errorf("%w (%q)", ErrAgent, name)
	}
	kind := agentKinds[place]
	program, err := exec.LookPath(name)
	if err != nil {
		return Agent{}, fmt.Errorf("%w: npm install -g %s: %w", ErrInstalled, kind.install, err)
	}
	if program, err = filepath.Abs(program); err != nil {
		return Agent{}, fmt.Errorf("find %s: %w", name, err)
	}
	return Agent{kind: kind, program: program, KeyVariable: kind.keyVariable}, nil
}

// Name returns the name of the agent, and the name of its model if one was chosen.
func (a Agent) Name() string { return strings.TrimSuffix(a.kind.name+"/"+a.Model, "/") }

// Ready returns an error if there is no key. It starts the agent to say so with the agent's words.
func (a Agent) Ready(ctx context.Context) error {
	_, missing := keyFrom(a.KeyVariable)
	if missing == nil {
		return nil
	}
	folder, err := os.MkdirTemp("", "pdpp-eval-agent-")
	if err != nil {
		return fmt.Errorf("make a home for the agent: %w", err)
	}
	defer os.RemoveAll(folder)
	_, printed, err := a.run(ctx, agentHome{folder: folder}, "", "Say hello.")
	if err == nil {
		return fmt.Errorf("%s answers without a key, by a login that is not its own configuration: %w", a.kind.name, missing)
	}
	return fmt.Errorf("%s is installed and starts, but stops without a key (it prints %q): %w", a.kind.name,
		reasonIn(printed), missing)
}

// reason is the member of what agents print that says why they stopped.
var reason = regexp.MustCompile(`"(?:result|message)":\s*("(?:[^"\\]|\\.)+")`)

// reasonIn returns why an agent stopped: the last reason that it prints, or its last line.
func reasonIn(printed string) string {
	if found := reason.FindAllStringSubmatch(printed, -1); found != nil {
		var text string
		if json.Unmarshal([]byte(found[len(found)-1][1]), &text) == nil {
			return text
		}
	}
	lines := strings.Split(strings.TrimSpace(printed), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// Answer runs the agent in a new home.
func (a Agent) Answer(ctx context.Context, task Task) (Outcome, error) {
	key, err := keyFrom(a.KeyVariable)
	if err != nil {
		return Outcome{}, err
	}
	server, err := relayOf(task)
	if err != nil {
		return Outcome{}, err
	}
	home := agentHome{folder: task.Folder, server: server.command}
	text, raw, err := a.run(ctx, home, key, task.Prompt())
	calls, callsErr := transcript.ReadCalls(server.calls)
	outcome := Outcome{Text: text.text, Usage: text.usage, Calls: calls, Raw: raw}
	return outcome, errors.Join(err, callsErr)
}

// said is the last text of an agent and its usage.
type said struct {
	text  string
	usage transcript.Usage
}

// run runs the agent with a prompt. Raw is what it printed.
func (a Agent) run(ctx context.Context, home agentHome, key, prompt string) (answer said, raw string, err error) {
	arguments, environment, err := a.kind.write(home, a, prompt)
	if err != nil {
		return said{}, "", err
	}
	environment = append(slices.Clone(a.Environment), environment...)
	if key != "" {
		environment = append(environment, a.kind.keyVariable+"="+key)
	}
	printed, complained, err := runProgram(ctx, home.folder, environment, nil,
		append([]string{a.program}, arguments...)...)
	raw = strings.TrimSpace(complained + "\n" + printed)
	if err != nil {
		return said{}, raw, fmt.Errorf("%w: %.500s", err, reasonIn(raw))
	}
	answer.text, answer.usage, err = a.kind.read(home, a, printed)
	return answer, raw, err
}
