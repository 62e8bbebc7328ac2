//go:build clients

package clients_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/run"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// evaluate runs the evaluation with the clients of the tests, and returns what it prints.
func evaluate(t *testing.T, program string, flags ...string) (printed string, err error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, append([]string{
		"-seeds", "4711", "-channels", "text", "-questions", "2", "-concurrency", "1", "-timeout", longest.String(),
	}, flags...)...)
	for _, each := range os.Environ() {
		if !strings.Contains(each, "_API_KEY=") {
			command.Env = append(command.Env, each)
		}
	}
	command.Env = append(command.Env, "PATH="+strings.Join([]string{programs, packages, os.Getenv("PATH")}, string(os.PathListSeparator)))
	output, err := command.CombinedOutput()
	return string(output), err
}

// R-EVAL-1: installed agents answer the questions of the evaluation over the real server, with a recorded run in place
// of their models. Without a key each starts, and the variable that it needs is named.
func TestAgentsAreEvaluated(t *testing.T) {
	program := filepath.Join(t.TempDir(), "pdpp-eval")
	if printed, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../eval").CombinedOutput(); err != nil {
		t.Fatalf("build the evaluation: %v\n%s", err, printed)
	}
	recorded := t.TempDir()
	if printed, err := evaluate(t, program, "-out", recorded); err != nil {
		t.Fatalf("record a run: %v\n%s", err, printed)
	}
	for _, agent := range []string{"claude", "codex"} {
		t.Run(agent, func(t *testing.T) {
			folder := t.TempDir()
			printed, err := evaluate(t, program, "-agent", agent, "-model", "replay", "-replay", recorded, "-out", folder)
			if err != nil {
				t.Fatalf("%v\n%s", err, printed)
			}
			attempts, err := transcript.Read(filepath.Join(folder, run.File))
			if err != nil || len(attempts) != 2 {
				t.Fatalf("%d attempts: %v", len(attempts), err)
			}
			for _, attempt := range attempts {
				if attempt.Verdict != "right" || len(attempt.Calls) == 0 || attempt.Usage.OutputTokens == 0 {
					t.Errorf("%+v", attempt)
				}
			}
		})
	}
	for agent, variable := range map[string]string{"claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"} {
		printed, err := evaluate(t, program, "-agent", agent, "-out", t.TempDir())
		if err == nil || !strings.Contains(printed, agent+" is installed and starts") || !strings.Contains(printed, "set "+variable) {
			t.Errorf("%s without a key prints: %v\n%s", agent, err, printed)
		}
	}
}
