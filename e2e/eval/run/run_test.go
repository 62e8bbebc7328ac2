package run_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/candidate"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/question"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/relay"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/run"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// tenQuestions returns about ten questions, spread over all subjects.
func tenQuestions(t *testing.T) []question.Question {
	t.Helper()
	all, err := question.Load()
	if err != nil {
		t.Fatal(err)
	}
	return question.Spread(all, 10)
}

// R-EVAL-1: the scripted candidate answers ten questions of an unseen person over the real binary, on both channels,
// and a stopped run resumes with the attempts that it lacks.
func TestScriptedCandidate(t *testing.T) {
	program := filepath.Join(t.TempDir(), "pdpp-mcp")
	if printed, err := exec.CommandContext(t.Context(), "go", "build", "-o", program,
		"../../../cmd/pdpp-mcp").CombinedOutput(); err != nil {
		t.Fatalf("build the server: %v\n%s", err, printed)
	}
	counting := &counted{Candidate: candidate.Scripted{}}
	var progress bytes.Buffer
	settings := settingsOf(t, counting)
	settings.Questions = tenQuestions(t)
	settings.Channels = []string{relay.Text, relay.Structured}
	settings.Server = strings.Replace(run.DefaultServer, "pdpp-mcp", program, 1)
	settings.Progress = run.Progress{Out: &progress}
	attempts, err := run.Run(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * len(settings.Questions); len(attempts) != want || counting.asked.Load() != int64(want) {
		t.Errorf("%d attempts, %d asked, want %d", len(attempts), counting.asked.Load(), want)
	}
	for _, attempt := range attempts {
		if attempt.Verdict != string(question.Right) || len(attempt.Calls) == 0 || attempt.Tokens() == 0 {
			t.Errorf("%+v: %s with %d calls and %d tokens: %.300s; truth %q", attempt.Key, attempt.Verdict, len(attempt.Calls),
				attempt.Tokens(),
				attempt.Text, attempt.Truth)
		}
	}
	if !strings.HasSuffix(progress.String(), "20/20, 20 right\n") && len(settings.Questions) == 10 {
		t.Errorf("the progress is %q", progress.String())
	}

	path := filepath.Join(settings.Folder, run.File)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)-10], 0o600); err != nil { // as a killed run leaves it
		t.Fatal(err)
	}
	counting.asked.Store(0)
	if again, err := run.Run(t.Context(), settings); err != nil || len(again) != len(attempts) ||
		counting.asked.Load() != 1 {
		t.Errorf("resumed: %d attempts, %d asked again, want %d and 1: %v", len(again), counting.asked.Load(),
			len(attempts), err)
	}
	settings.Server = "other"
	if _, err := run.Run(t.Context(), settings); !errors.Is(err, run.ErrOtherRun) {
		t.Errorf("another server in the same folder: %v", err)
	}
}

// counted counts the attempts of a candidate.
type counted struct {
	candidate.Candidate

	asked atomic.Int64
}

func (c *counted) Answer(ctx context.Context, task candidate.Task) (candidate.Outcome, error) {
	c.asked.Add(1)
	return c.Candidate.Answer(ctx, task)
}

// played is a candidate with one outcome for every question.
type played struct {
	outcome candidate.Outcome
	err     error
}

func (played) Name() string { return "played" }

func (p played) Answer(context.Context, candidate.Task) (candidate.Outcome, error) {
	return p.outcome, p.err
}

func settingsOf(t *testing.T, who candidate.Candidate) run.Settings {
	t.Helper()
	return run.Settings{
		Candidate: who, Questions: tenQuestions(t), Seeds: []uint64{4711}, Channels: []string{relay.Text},
		Attempts: 1, Concurrency: 2,
		Timeout: time.Minute, Server: run.DefaultServer, Folder: t.TempDir(),
	}
}

// R-EVAL-1: a run ends at its cost limit, and keeps what was paid for.
func TestCostLimit(t *testing.T) {
	settings := settingsOf(t, played{outcome: candidate.Outcome{Text: "ANSWER: 1", Usage: transcript.Usage{Dollars: 0.4}}})
	settings.Attempts, settings.Concurrency, settings.Dollars = 5, 1, 1
	_, err := run.Run(t.Context(), settings)
	kept, readErr := transcript.Read(filepath.Join(settings.Folder, run.File))
	if !errors.Is(err, run.ErrBudget) || readErr != nil || len(kept) != 3 {
		t.Errorf("%d attempts for $0.40 each of $1: %v, %v", len(kept), err, readErr)
	}
}

var errPlayed = errors.New("401 invalid key sk-played")

// R-EVAL-1: a run ends when nothing works, and repeats the failed attempts when it is resumed. A key is not written.
func TestFailuresEndTheRun(t *testing.T) {
	settings := settingsOf(t, played{err: errPlayed, outcome: candidate.Outcome{Raw: "with sk-played"}})
	settings.Attempts, settings.Concurrency, settings.Secrets = 3, 1, []string{"sk-played"}
	if _, err := run.Run(t.Context(), settings); !errors.Is(err, run.ErrFailures) ||
		!strings.HasSuffix(err.Error(), "401 invalid key [key]") {
		t.Errorf("the run ends with %v", err)
	}
	content, err := os.ReadFile(filepath.Join(settings.Folder, run.File))
	if err != nil || bytes.Contains(content, []byte("sk-played")) || !bytes.Contains(content, []byte("[key]")) {
		t.Errorf("transcripts: %v\n%s", err, content)
	}
	settings.Candidate = played{outcome: candidate.Outcome{Text: "ANSWER: none"}}
	attempts, err := run.Run(t.Context(), settings)
	if err != nil || len(attempts) != 3*len(settings.Questions) {
		t.Errorf("resumed: %d attempts: %v", len(attempts), err)
	}
	for _, attempt := range attempts {
		if attempt.Failure != "" || attempt.Verdict == "" {
			t.Errorf("%+v: %q %q", attempt.Key, attempt.Verdict, attempt.Failure)
		}
	}
}

// A key in the command of the server is refused, since the manifest has the command.
func TestKeyInCommandIsRefused(t *testing.T) {
	settings := settingsOf(t, played{})
	settings.Server, settings.Secrets = "server --key sk-played", []string{"sk-played"}
	if _, err := run.Run(t.Context(), settings); !errors.Is(err, run.ErrKeyInCommand) {
		t.Errorf("the run ends with %v", err)
	}
}
