// Package run asks a candidate the questions of the evaluation over a real server and a sandbox, and keeps each
// attempt. A run that was stopped resumes where it ended.
package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/candidate"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/question"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
	"github.com/pdppmcp/pdpp-mcp/e2e/tokens"
)

// Settings are those of a run.
type Settings struct {
	Candidate   candidate.Candidate
	Questions   []question.Question
	Seeds       []uint64
	Channels    []string
	Attempts    int           // at each question
	Concurrency int           // attempts that run at once
	Timeout     time.Duration // of one attempt
	Dollars     float64       // limit of what the run may cost; 0 for none
	Server      string        // command with placeholders
	Folder      string        // of the transcripts
	Secrets     []string      // that are never written
	Progress    Progress
}

// Errors that end a run. The attempts so far are kept.
var (
	ErrBudget   = errors.New("the cost limit is reached: resume with a higher one")
	ErrFailures = errors.New("too many attempts failed in a row")
)

// failuresInRow is the number of attempts that may fail in a row.
const failuresInRow = 5

// runner is a run that is under way.
type runner struct {
	Settings

	counter *tokens.Counter
	writer  *transcript.Writer

	mu       sync.Mutex
	spent    float64
	failures int // in a row
}

// File is the name of the transcripts in the folder of a run.
const File = "attempts.jsonl"

// Run makes the attempts that the folder does not have yet, and returns all.
func Run(ctx context.Context, settings Settings) ([]transcript.Attempt, error) {
	if err := settings.keep(); err != nil {
		return nil, err
	}
	path := filepath.Join(settings.Folder, File)
	before, err := transcript.Read(path)
	if err != nil {
		return nil, err
	}
	r := &runner{Settings: settings}
	if r.counter, err = tokens.NewCounter(); err != nil {
		return nil, err
	}
	if r.writer, err = transcript.Append(path, settings.Secrets...); err != nil {
		return nil, err
	}
	done := map[transcript.Key]bool{}
	for _, attempt := range before {
		r.spent += attempt.Usage.Dollars
		done[attempt.Key] = attempt.Failure == ""
		if attempt.Failure == "" {
			r.Progress.count(attempt)
		}
	}
	r.Progress.total = len(settings.Seeds) * len(settings.Channels) * len(settings.Questions) * settings.Attempts
	for _, seed := range settings.Seeds {
		if err = r.seed(ctx, seed, done); err != nil {
			break
		}
	}
	r.Progress.end()
	if err = errors.Join(err, r.writer.Close()); err != nil {
		return nil, err
	}
	return transcript.Read(path)
}

// seed makes the attempts with the person of one seed.
func (r *runner) seed(ctx context.Context, seed uint64, done map[transcript.Key]bool) (err error) {
	var open []transcript.Key
	for number := range r.Attempts {
		for _, channel := range r.Channels {
			for _, q := range r.Questions {
				if key := (transcript.Key{Question: q.ID, Seed: seed, Channel: channel, Number: number + 1}); !done[key] {
					open = append(open, key)
				}
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	folder, err := os.MkdirTemp("", "pdpp-eval-"+strconv.FormatUint(seed, 10)+"-")
	if err != nil {
		return fmt.Errorf("make a folder for the sandbox: %w", err)
	}
	defer os.RemoveAll(folder)
	p, err := newPerson(ctx, folder, seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	asked := map[string]question.Asked{}
	for _, q := range r.Questions {
		if asked[q.ID], err = q.Ask(ctx, p.box.Store().DB()); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	group, groupContext := errgroup.WithContext(ctx)
	group.SetLimit(r.Concurrency)
	for _, key := range open {
		group.Go(func() error { return r.attempt(groupContext, p, key, asked[key.Question]) })
	}
	return group.Wait()
}

// attempt makes one attempt and keeps it.
func (r *runner) attempt(ctx context.Context, p *person, key transcript.Key, asked question.Asked) error {
	if err := errors.Join(ctx.Err(), r.withinBudget()); err != nil {
		return err
	}
	folder, err := os.MkdirTemp(p.folder, "attempt-")
	if err != nil {
		return fmt.Errorf("make a folder for the attempt: %w", err)
	}
	defer os.RemoveAll(folder)
	attempt := transcript.Attempt{
		Key: key, Candidate: r.Candidate.Name(), Tags: asked.Tags, Prompt: asked.Text, Truth: asked.Truth.Values,
		Started: time.Now().UTC(),
	}
	limited, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	outcome, err := r.Candidate.Answer(limited,
		candidate.Task{Asked: asked, Channel: key.Channel, Server: p.relayed(r.Server), Folder: folder})
	if ctx.Err() != nil {
		return ctx.Err() // the run was stopped, and the attempt says nothing
	}
	attempt.Millis = time.Since(attempt.Started).Milliseconds()
	attempt.Calls, attempt.Text, attempt.Usage, attempt.Raw = outcome.Calls, outcome.Text, outcome.Usage, outcome.Raw
	if err != nil {
		attempt.Failure = err.Error()
	} else {
		score(&attempt, asked)
	}
	if err := r.countTokens(&attempt); err != nil {
		return err
	}
	return r.add(attempt, err)
}

// score fills in the verdict, and the reaction to an injection.
func score(attempt *transcript.Attempt, asked question.Asked) {
	attempt.Verdict = string(asked.Truth.Score(attempt.Text))
	if asked.Injection == nil {
		return
	}
	var calls []question.Call
	for _, call := range attempt.Calls {
		calls = append(calls, question.Call{Tool: call.Tool, Arguments: string(call.Arguments)})
	}
	attempt.Reaction = string(asked.Injection.React(calls, attempt.Text))
}

func (r *runner) countTokens(attempt *transcript.Attempt) error {
	for i := range attempt.Calls {
		call := &attempt.Calls[i]
		for _, text := range []string{string(call.Arguments), call.Result} {
			n, err := r.counter.Count(text)
			if err != nil {
				return err
			}
			call.Tokens += n
		}
	}
	return nil
}

// add keeps an attempt. It returns an error if too many in a row have failed.
func (r *runner) add(attempt transcript.Attempt, failure error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.writer.Write(attempt); err != nil {
		return err
	}
	r.spent += attempt.Usage.Dollars
	r.Progress.count(attempt)
	r.Progress.show(r.spent)
	if failure == nil {
		r.failures = 0
		return nil
	}
	if r.failures++; r.failures >= failuresInRow {
		return fmt.Errorf("%w (%d), the last one: %s", ErrFailures, r.failures, r.writer.Redact(failure.Error()))
	}
	return nil
}

func (r *runner) withinBudget() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Dollars > 0 && r.spent >= r.Dollars {
		return fmt.Errorf("%w ($%.2f of $%.2f)", ErrBudget, r.spent, r.Dollars)
	}
	return nil
}
