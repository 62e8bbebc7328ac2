// Package candidate has those who answer the questions of the evaluation: the scripted candidate, models behind an API,
// and installed agents. All of them reach the MCP server through a relay, which shows one channel and notes the calls.
package candidate

import (
	"context"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/question"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/relay"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// Task is one attempt at a question.
type Task struct {
	Asked   question.Asked
	Channel string
	Server  relay.Server
	Folder  string // empty, for this attempt alone
}

// Outcome is the result of a candidate's attempt.
type Outcome struct {
	Text  string
	Calls []transcript.Call
	Usage transcript.Usage
	Raw   string // what an agent printed
}

// Candidate answers questions. Its methods are safe for concurrent use.
type Candidate interface {
	// Name identifies the candidate in the report.
	Name() string
	// Answer attempts a task. An error means that there is no answer to score; the outcome has what is known.
	Answer(ctx context.Context, task Task) (Outcome, error)
}

// Instructions come before each question that a model or an agent is asked.
const Instructions = `Answer the question about my personal data with the tools of the MCP server. Today is 1 May 2026. Times are in UTC unless the question names a place.
End with one line: ANSWER: and the answer alone, without explanation. Write a number with digits, without unit and without thousands separators. Write several items on that line with semicolons between them. If the data has no answer, write ANSWER: none

Question: `

// Prompt returns what a model or an agent is asked.
func (t Task) Prompt() string { return Instructions + strings.TrimSpace(t.Asked.Text) }
