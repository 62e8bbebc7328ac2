//go:build !race

package exam_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/exam/candidate"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// followed is a prompt with values.
type followed struct {
	name     string
	values   map[string]string
	answered func(*candidate.Prompted) candidate.Answer
	truths   string // SQL whose rows are the answer
}

// prompted are the prompts of the surface, how they are followed, and what they lead to.
var prompted = []followed{
	{
		name: "what_is_here",
		answered: func(p *candidate.Prompted) candidate.Answer {
			return func(ctx context.Context, _ *candidate.Candidate) (string, error) { return p.WhatIsHere(ctx) }
		},
		truths: `SELECT DISTINCT account FROM live ORDER BY account`,
	},
	{
		name: "what_is_new", values: map[string]string{"since": "2026-04-20", "stream": "messages"},
		answered: func(p *candidate.Prompted) candidate.Answer { return p.WhatIsNew("messages") },
		truths: `SELECT account, count(*) FROM mail WHERE unixepoch(received_at) >= unixepoch('2026-04-20T00:00:00Z')
			GROUP BY account ORDER BY account`,
	},
	{
		name: "one_day", values: map[string]string{"day": "2026-01-29", "stream": "chat_messages"},
		answered: func(p *candidate.Prompted) candidate.Answer { return p.OneDay("chat_messages") },
		truths: `SELECT datetime(sent_at), key FROM chat WHERE unixepoch(sent_at) >= unixepoch('2026-01-29T00:00:00Z')
			AND unixepoch(sent_at) < unixepoch('2026-01-30T00:00:00Z') ORDER BY datetime(sent_at), key`,
	},
	{
		name: "one_person", values: map[string]string{"person": "Tanaka"},
		answered: func(p *candidate.Prompted) candidate.Answer { return p.OnePerson("tanaka@") },
		truths:   `SELECT from_email, received_at FROM mail WHERE from_email LIKE 'tanaka@%' ORDER BY unixepoch(received_at) DESC LIMIT 1`,
	},
	{
		name: "topic_to_source", values: map[string]string{"topic": "clause terms overdraft"},
		answered: func(p *candidate.Prompted) candidate.Answer { return p.Passage("7. ", "8. ") },
		truths: `SELECT trim(substr(text, at, instr(text, char(10) || '8. ') - at), char(10)) FROM (SELECT text, instr(text, char(10) || '7. ') + 1 AS at
			FROM body JOIN mail ON mail.account = body.account AND mail.key = body.mail
			WHERE from_email LIKE '%@fjordbank.example' AND text LIKE '%' || char(10) || '7. %' ORDER BY unixepoch(received_at) DESC LIMIT 1)`,
	},
	{
		name: "topic_to_source", values: map[string]string{"topic": "Gartentor Glocke Glatteis Druck"}, // far into a long text
		answered: func(p *candidate.Prompted) candidate.Answer { return p.Passage("1979-11-23, ", "1979-11-24") },
		truths: `SELECT trim(substr(text, at, instr(text, '1979-11-24') - at), char(10)) FROM (SELECT text, instr(text, '1979-11-23, ') AS at
			FROM body WHERE text LIKE '%1979-11-23, %')`,
	},
}

// The prompts that are followed are all that there are.
func TestEveryPromptIsFollowed(t *testing.T) {
	for _, prompt := range gen.Surface().Prompts {
		if !slices.ContainsFunc(prompted, func(each followed) bool { return each.name == prompt.Name }) {
			t.Errorf("no candidate follows %s", prompt.Name)
		}
	}
}

// callsMost bounds how many calls a prompt leads to here.
const callsMost = 10

// R-MCP-1: a reader that makes the calls which a prompt shows, and no others, comes to the true answer on every
// provider, over every transport and with either channel.
func TestPromptsLeadToAnswers(t *testing.T) {
	for _, reads := range resource.AllReads() {
		provider := journey.NewProvider(t, reads)
		for _, transport := range transports {
			session := transport.connect(t, provider)
			for _, channel := range journey.Channels {
				for _, each := range prompted {
					t.Run(strings.Join([]string{string(reads), transport.name, channel.Name, each.name, each.values["topic"]}, "/"), func(t *testing.T) {
						got, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: each.name, Arguments: each.values})
						if err != nil {
							t.Fatal(err)
						}
						s := sitting{session: session, channel: channel}
						follower := candidate.Follow(blind.NewReader(s.sight(t), channel.Read), textOf(t, got))
						said, err := each.answered(follower)(t.Context(), follower.Candidate)
						if want := (question{name: each.name, truths: each.truths}).truth(t, provider); err != nil || said != want || want == "" {
							t.Errorf("%v; answer %.600q, truth %.600q", err, said, want)
						}
						if s.cost.calls > callsMost {
							t.Errorf("%d calls, more than %d", s.cost.calls, callsMost)
						}
					})
				}
			}
		}
	}
}

// textOf returns the one message of a prompt.
func textOf(t *testing.T, prompt *mcp.GetPromptResult) string {
	t.Helper()
	if len(prompt.Messages) == 1 && prompt.Messages[0].Role == "user" {
		if text, ok := prompt.Messages[0].Content.(*mcp.TextContent); ok {
			return text.Text
		}
	}
	t.Fatalf("the prompt is %+v", prompt)
	return ""
}
