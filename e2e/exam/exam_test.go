//go:build !race

// Package exam_test is the exam: questions about a year of personal data, a candidate that sees only one channel of
// each result, and true answers from SQL over the sandbox's tables. The costs of the answers are in testdata and may
// only fall.
//
// It is not built with the race detector, under which it would take a minute; the journeys run the same code with it.
// make test runs the exam separately.
package exam_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

const (
	costs    = "testdata/costs.md"
	baseline = "testdata/baseline.md"
)

var (
	dearer = flag.Bool("dearer", false, "let -update write costs that rose: only when questions or the sample data have changed")
	shown  = flag.Bool("show", false, "print questions, verdicts and costs")
)

// R-BUD-1: every question is answered by either channel, as far as it can be answered, and none costs more than it did.
func TestExam(t *testing.T) {
	given, names := sitAll(t)
	table, missing := given.table(groups, names), reasons(t, given)
	if *shown {
		fmt.Print(asked(), table, missing, progress(t, given, names))
	}
	if worse := given.worse(readTable(read(t, costs))); len(worse) > 0 && !*dearer {
		t.Fatalf("answers cost more than before, or are no longer right:\n%s\n-v shows the answers; -update -dearer records the costs anyway",
			strings.Join(worse, "\n"))
	}
	golden.File(t, costs, heading+asked()+table+missing)
}

// asked returns the questions as text.
func asked() string {
	var text strings.Builder
	for _, q := range everything() {
		fmt.Fprintf(&text, "- *%s*: %s\n", q.name, q.text)
	}
	return text.String() + "\n"
}

const heading = `# What the exam's answers cost

Written by ` + "`go test ./e2e/exam -update`" + `, which refuses what is dearer than before. The columns say what the provider lets
client tokens ask, over which transport, and which channel was seen. Each cell has the verdict, calls, and o200k tokens
of arguments and results; the list of tools, which every session has, is not among them, and a picture counts as a line that
tells its width, height and digest, since every model counts pictures in its own way. ` + "`none`" + ` means that the
candidate found no way to an answer.

`

// sitAll lets a candidate sit at every kind of provider, over every transport and with every channel.
func sitAll(t *testing.T) (marks, []string) {
	t.Helper()
	var (
		mu     sync.Mutex
		given  = marks{}
		names  []string
		tokens = newCounter(t)
	)
	t.Run("sittings", func(t *testing.T) {
		for _, reads := range resource.AllReads() {
			provider := journey.NewProvider(t, reads)
			for _, transport := range transports {
				for _, channel := range journey.Channels {
					name := strings.Join([]string{string(reads), transport.name, channel.Name}, " ")
					names = append(names, name)
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						session := transport.connect(t, provider)
						for _, q := range everything() {
							t.Run(q.name, func(t *testing.T) {
								s, at := sitting{session: session, channel: channel, counter: tokens}, provider
								if q.answered == nil {
									at = journey.NewProvider(t, reads)
									s.session = transport.connect(t, at)
								}
								mark := s.sit(t, at, q)
								mu.Lock()
								defer mu.Unlock()
								given.set(q.name, name, mark)
							})
						}
					})
				}
			}
		}
	})
	return given, names
}

// reasons compares the list of questions without an answer, and why. A missing or an outdated reason fails the test.
func reasons(t *testing.T, given marks) string {
	t.Helper()
	var text strings.Builder
	for _, q := range everything() {
		all := true
		for _, mark := range given[q.name] {
			all = all && mark.verdict == right
		}
		if all != (q.lacks == "") {
			t.Errorf("%s: right everywhere is %t, and what is missing is said to be %q", q.name, all, q.lacks)
		}
		if q.lacks != "" {
			fmt.Fprintf(&text, "\n- *%s*: %s.", q.name, q.lacks)
		}
	}
	if text.Len() == 0 {
		return ""
	}
	return "\nNot answered everywhere yet:\n" + text.String() + "\n"
}

// progress compares the medians of the base line's questions with its own.
func progress(t *testing.T, given marks, names []string) string {
	before := readTable(read(t, baseline))
	var text strings.Builder
	for _, name := range names {
		if was := before.median(questions, name); was > 0 {
			fmt.Fprintf(&text, "%s: median %s tokens, %.2f of the base line's %s\n",
				name, grouped(given.median(questions, name)), float64(given.median(questions, name))/float64(was), grouped(was))
		}
	}
	return text.String()
}

// read returns a file, or nothing if it does not exist.
func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(content)
}
