package question_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/question"
	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

func load(t *testing.T) []question.Question {
	t.Helper()
	all, err := question.Load()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// R-EVAL-2: the scripted candidate answers every question with what either channel shows.
func TestScriptsAnswer(t *testing.T) {
	provider := journey.NewProvider(t, resource.ReadsV01)
	session := connect(t, provider)
	for _, channel := range journey.Channels {
		for _, q := range load(t) {
			t.Run(channel.Name+"/"+q.ID, func(t *testing.T) {
				asked, err := q.Ask(t.Context(), provider.Box.Store().DB())
				if err != nil {
					t.Fatal(err)
				}
				answer, err := asked.Answer(t.Context(), blind.NewReader(sight(t, session, channel), channel.Read))
				if verdict := asked.Truth.Score(answer); err != nil || verdict != question.Right {
					t.Errorf("%s: %s; answer %.300q, truth %.300q; %v", asked.Text, verdict, answer, asked.Truth.Values, err)
				}
			})
		}
	}
}

func connect(t *testing.T, provider *journey.Provider) *mcp.ClientSession {
	t.Helper()
	reader, err := rs.NewClient(rs.Options{BaseURL: provider.URL, Bearer: rs.NewSecret(provider.Box.Tokens()["everything"])})
	if err != nil {
		t.Fatal(err)
	}
	environment := func(context.Context) (tool.Env, error) { return tool.Env{RS: reader}, nil }
	return hosttest.Connect(t, gen.Surface(), hosttest.Options, environment)
}

func sight(t *testing.T, session *mcp.ClientSession, channel journey.Channel) blind.Sight {
	return func(ctx context.Context, tool, arguments string) string {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Errorf("%s %s ends in a protocol error: %v", tool, arguments, err)
			return ""
		}
		return channel.Show(t, result)
	}
}
