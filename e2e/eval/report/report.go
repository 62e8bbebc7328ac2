// Package report writes what a run came to: one HTML page with plots that needs no server, and Markdown tables
// (R-EVAL-3). It can compare two runs of the same questions.
package report

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/question"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/run"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// The names of the reports in the folder of a run.
const (
	PageFile  = "report.html"
	TableFile = "report.md"
)

// ErrNoAttempts reports a folder without a scored attempt.
var ErrNoAttempts = errors.New("no attempt has a verdict, so there is no report")

// ErrNothingInCommon reports two runs that cannot be compared.
var ErrNothingInCommon = errors.New(
	"the runs have no question with the same person and channel in common: choose the same --seeds and --channels")

// allTags names the summary of all questions.
const allTags = "all"

// Run is a run to report.
type Run struct {
	run.Manifest

	Name     string
	Attempts []transcript.Attempt
}

// Report has the data of the page and the tables.
type Report struct {
	Runs        []Run
	Started     time.Time
	Seeds       []uint64
	Summaries   []Summary // by channel and tag of the first run, all tags first
	Injections  []Summary
	Differences []Difference
	Answers     []Answer
}

// Answer is all attempts at a question in the first run.
type Answer struct {
	Summary

	ID, Prompt string
	Misses     []transcript.Attempt // that are not right
}

// Write writes the report of the run in the first folder, compared with the run in a second one, and returns its
// Markdown.
func Write(folders ...string) (string, error) {
	var runs []Run
	for _, folder := range folders {
		manifest, err := run.ReadManifest(folder)
		if err != nil {
			return "", err
		}
		attempts, err := transcript.Read(filepath.Join(folder, run.File))
		if err != nil {
			return "", err
		}
		runs = append(runs, Run{manifest, filepath.Base(folder), attempts})
	}
	made, err := New(runs...)
	if err != nil {
		return "", err
	}
	page, err := made.HTML()
	if err != nil {
		return "", err
	}
	tables := made.Markdown()
	path := filepath.Join(folders[0], PageFile)
	err = errors.Join(os.WriteFile(path, page, 0o600),
		os.WriteFile(filepath.Join(folders[0], TableFile), []byte(tables), 0o600))
	if err != nil {
		return "", fmt.Errorf("write the report: %w", err)
	}
	return tables + "\nThe page is " + path + "\n", nil
}

// New sums up runs: the first, and how it differs from a second.
func New(runs ...Run) (Report, error) {
	first := runs[0].Attempts
	if !slices.ContainsFunc(first, func(a transcript.Attempt) bool { return a.Failure == "" }) {
		return Report{}, ErrNoAttempts
	}
	r := Report{Runs: runs, Started: first[0].Started}
	channels := []string{}
	for _, attempt := range first {
		r.Seeds = append(r.Seeds, attempt.Seed)
		channels = append(channels, attempt.Channel)
	}
	slices.Sort(r.Seeds)
	slices.Sort(channels)
	r.Seeds = slices.Compact(r.Seeds)
	for _, tag := range append([]string{allTags}, question.Tags...) {
		for _, channel := range slices.Compact(slices.Clone(channels)) {
			some := selected(first, channel, tag)
			if len(some) == 0 {
				continue
			}
			s := summarize(runs[0].Name, channel, tag, some)
			r.Summaries = append(r.Summaries, s)
			if tag == allTags && len(s.Reactions) > 0 {
				r.Injections = append(r.Injections, s)
			}
		}
		if len(runs) > 1 {
			if d := compare(tag, selected(first, "", tag), selected(runs[1].Attempts, "", tag)); d.Questions > 0 {
				r.Differences = append(r.Differences, d)
			}
		}
	}
	if len(runs) > 1 && len(r.Differences) == 0 {
		return Report{}, ErrNothingInCommon
	}
	r.Answers = answers(first)
	return r, nil
}

// selected returns the attempts with a channel and a tag. An empty channel and allTags select all.
func selected(attempts []transcript.Attempt, channel, tag string) []transcript.Attempt {
	var some []transcript.Attempt
	for _, attempt := range attempts {
		if (channel == "" || attempt.Channel == channel) && (tag == allTags || slices.Contains(attempt.Tags, tag)) {
			some = append(some, attempt)
		}
	}
	return some
}

// answers groups attempts by question. Questions with misses come first.
func answers(attempts []transcript.Attempt) []Answer {
	var all []Answer
	places := map[string]int{}
	grouped := map[string][]transcript.Attempt{}
	for _, attempt := range attempts {
		grouped[attempt.Question] = append(grouped[attempt.Question], attempt)
		place, known := places[attempt.Question]
		if !known {
			place = len(all)
			places[attempt.Question] = place
			all = append(all, Answer{ID: attempt.Question, Prompt: attempt.Prompt})
		}
		if attempt.Verdict != string(question.Right) {
			all[place].Misses = append(all[place].Misses, attempt)
		}
	}
	for i := range all {
		all[i].Summary = summarize("", "", "", grouped[all[i].ID])
	}
	slices.SortStableFunc(all, func(a, b Answer) int { return cmp.Compare(a.Pass1.Value, b.Pass1.Value) })
	return all
}
