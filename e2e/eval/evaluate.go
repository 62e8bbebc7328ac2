package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/question"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/relay"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/report"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/run"
)

// flags are those of the command.
type flags struct {
	run.Settings

	seeds, channels, only string
	questions             int
	compare               string
	sqlTool               string

	model, agent, baseURL, keyVariable, price, replay string
}

func evaluate(ctx context.Context, arguments []string) error {
	chosen, err := parse(arguments)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	stop, err := chosen.choose(ctx)
	if err != nil {
		return err
	}
	defer stop()
	chosen.Progress = run.Progress{Out: os.Stderr, Terminal: term.IsTerminal(int(os.Stderr.Fd()))}
	attempts, err := run.Run(ctx, chosen.Settings)
	if len(attempts) == 0 && err != nil {
		return err
	}
	written, writeErr := writeReport(chosen)
	fmt.Print(written)
	return errors.Join(err, writeErr)
}

func parse(arguments []string) (flags, error) {
	var f flags
	set := flag.NewFlagSet("eval", flag.ContinueOnError)
	set.StringVar(&f.seeds, "seeds", "101,102,103", "`numbers` of the sandbox persons, separated by commas")
	set.StringVar(&f.channels, "channels", relay.Text+","+relay.Structured, "`channels` of results to show")
	set.IntVar(&f.questions, "questions", 0, "`number` of questions to ask; 0 for all")
	set.StringVar(&f.only, "only", "", "`tags or ids` of the questions to ask, separated by commas")
	set.IntVar(&f.Attempts, "attempts", 1, "`number` of attempts at each question, for pass^k")
	set.IntVar(&f.Concurrency, "concurrency", runtime.NumCPU(), "`number` of attempts that run at once")
	set.DurationVar(&f.Timeout, "timeout", 5*time.Minute, "`time` that one attempt may take")
	set.Float64Var(&f.Dollars, "max-cost", 0, "`dollars` that the run may cost; 0 for no limit")
	set.StringVar(&f.Server, "server", run.DefaultServer,
		"`command` of the MCP server; {url}, {token-file}, {db} and {folder} are filled in")
	set.StringVar(&f.sqlTool, "sql-tool", "", "`tool.argument` of a server that takes SQL, for the scripted candidate")
	set.StringVar(&f.model, "model", "", "`name` of a model behind an API: anthropic/NAME or openai/NAME")
	set.StringVar(&f.agent, "agent", "", "installed `agent`: claude, codex or gemini; --model names its model")
	set.StringVar(&f.baseURL, "base-url", "", "`URL` of a compatible API")
	set.StringVar(&f.keyVariable, "key-variable", "",
		"`name` of the environment variable that has the key (default: the provider's)")
	set.StringVar(&f.price, "price", "",
		"`dollars` per million tokens of input and output, such as 3,15; needed by --max-cost")
	set.StringVar(&f.replay, "replay", "", "`folder` of a run to play in place of a model, without a key")
	set.StringVar(&f.Folder, "out", "",
		"`folder` of the transcripts and the report; a folder with a stopped run is resumed (default: "+
			"bin/eval/CANDIDATE-BUILD)")
	set.StringVar(&f.compare, "compare", "", "`folder` of another run to compare with")
	if err := set.Parse(arguments); err != nil {
		return flags{}, fmt.Errorf("read flags: %w", err)
	}
	err := f.fill()
	return f, err
}

// fill resolves what the flags name.
func (f *flags) fill() error {
	for each := range strings.SplitSeq(f.seeds, ",") {
		seed, err := strconv.ParseUint(strings.TrimSpace(each), 10, 64)
		if err != nil {
			return fmt.Errorf("invalid --seeds %q: use numbers separated by commas: %w", f.seeds, err)
		}
		f.Seeds = append(f.Seeds, seed)
	}
	for each := range strings.SplitSeq(f.channels, ",") {
		if each != relay.Text && each != relay.Structured {
			return fmt.Errorf("unknown --channels %q: use %s or %s", each, relay.Text, relay.Structured) //nolint:err113 // for a person
		}
		f.Channels = append(f.Channels, each)
	}
	all, err := question.Load()
	if err != nil {
		return err
	}
	if f.sqlTool != "" {
		all = slices.DeleteFunc(all, func(q question.Question) bool { return !q.Portable() })
	}
	if f.Questions = selected(all, f.only, f.questions); len(f.Questions) == 0 {
		return fmt.Errorf("no question has one of the tags or ids --only %q", f.only) //nolint:err113 // for a person
	}
	return nil
}

// selected returns the questions with one of the tags or ids, or a number of them.
func selected(all []question.Question, only string, number int) []question.Question {
	var some []question.Question
	for _, q := range all {
		wanted := only == ""
		for each := range strings.SplitSeq(only, ",") {
			for _, word := range append([]string{q.ID}, q.Tags...) {
				wanted = wanted || each == word
			}
		}
		if wanted {
			some = append(some, q)
		}
	}
	return question.Spread(some, number)
}

// writeReport writes the report of the run's folder, and returns its table with the path of the page.
func writeReport(f flags) (string, error) {
	folders := []string{f.Folder}
	if f.compare != "" {
		folders = append(folders, f.compare)
	}
	return report.Write(folders...)
}
