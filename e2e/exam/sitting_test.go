package exam_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/exam/candidate"
	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// transport is a way to a server; its sessions end with the test.
type transport struct {
	name    string
	connect func(*testing.T, *journey.Provider) *mcp.ClientSession
}

// transports are the local server with one client token for all data, and the hosted one with a package of grants, as
// each has its users.
var transports = []transport{{"stdio", overStdio}, {"hosted", overHTTP}}

func overStdio(t *testing.T, provider *journey.Provider) *mcp.ClientSession {
	t.Helper()
	reader, err := rs.NewClient(rs.Options{BaseURL: provider.URL, Bearer: rs.NewSecret(provider.Box.Tokens()["everything"])})
	if err != nil {
		t.Fatal(err)
	}
	environment := func(context.Context) (tool.Env, error) { return tool.Env{RS: reader}, nil }
	return hosttest.Connect(t, gen.Surface(), hosttest.Options, environment)
}

func overHTTP(t *testing.T, provider *journey.Provider) *mcp.ClientSession {
	t.Helper()
	endpoint := hosttest.ServeHosted(t, gen.Surface(), provider.Upstream(), hosttest.Patient)
	return hosttest.ConnectHosted(t, endpoint, provider.Box.Tokens()["package"])
}

// sitting is a candidate's session, and what it has cost so far.
type sitting struct {
	session *mcp.ClientSession
	channel journey.Channel
	counter *counter // nil: tokens do not matter
	cost    mark
}

// sight shows a candidate one channel of each result, and counts calls and tokens.
func (s *sitting) sight(t *testing.T) blind.Sight {
	return func(ctx context.Context, tool, arguments string) string {
		result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Errorf("%s %s ends in a protocol error: %v", tool, arguments, err)
			return ""
		}
		seen := s.channel.Show(t, result)
		s.cost.calls++
		if s.counter != nil {
			s.cost.tokens += s.counter.count(t, arguments) + s.counter.count(t, seen)
		}
		return seen
	}
}

// sit lets a new candidate answer a question, and marks the answer.
func (s sitting) sit(t *testing.T, provider *journey.Provider, q question) mark {
	t.Helper()
	who := &candidate.Candidate{Reader: blind.NewReader(s.sight(t), s.channel.Read)}
	got, err := q.answer(t, provider)(t.Context(), who)
	want := q.truth(t, provider)
	switch {
	case err != nil:
		s.cost.verdict = none
		t.Logf("no answer: %v", err)
	case got == want:
		s.cost.verdict = right
	default:
		s.cost.verdict = wrong
		t.Logf("answer %.300q, truth %.300q", got, want)
	}
	return s.cost
}
