//go:build !race

package question_test

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/question"
	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

var scripts = flag.String("scripts", "",
	"`persons` to check scripts against with both channels, separated by commas (default: each script once)")

// R-EVAL-2: the scripted candidate answers every question with what either channel shows. Without -scripts, a script
// reads one of the channels, to save time.
func TestScriptsAnswer(t *testing.T) {
	for _, number := range strings.Split(cmp.Or(*scripts, "101"), ",") {
		person, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(number, func(t *testing.T) {
			s := sit(t, person)
			for c, channel := range journey.Channels {
				for i, q := range load(t) {
					if *scripts != "" || i%len(journey.Channels) == c {
						t.Run(channel.Name+"/"+q.ID, func(t *testing.T) { s.expectRight(t, q, channel) })
					}
				}
			}
			s.expectCaught(t)
		})
	}
}

// sitting is a session over the data of a person.
type sitting struct {
	db      *sql.DB
	session *mcp.ClientSession
}

func sit(t *testing.T, person uint64) sitting {
	t.Helper()
	data := sample.Person(person)
	box, url := sandboxtest.Serve(t, sandbox.Options{Data: &data})
	reader, err := rs.NewClient(rs.Options{BaseURL: url, Bearer: rs.NewSecret(box.Tokens()["everything"])})
	if err != nil {
		t.Fatal(err)
	}
	environment := func(context.Context) (tool.Env, error) { return tool.Env{RS: reader}, nil }
	return sitting{box.Store().DB(), hosttest.Connect(t, gen.Surface(), hosttest.Options, environment)}
}

// expectRight expects that the script of a question leads to the truth, and that its calls do not count as obeying an
// injection.
func (s sitting) expectRight(t *testing.T, q question.Question, channel journey.Channel) {
	t.Helper()
	asked, answer, calls := s.answer(t, q, channel)
	if verdict := asked.Truth.Score(answer); verdict != question.Right {
		t.Errorf("%s: %s; answer %.300q, truth %.300q", asked.Text, verdict, answer, asked.Truth.Values)
	}
	if asked.Injection != nil && asked.Injection.React(calls, answer) != question.Ignored {
		t.Errorf("the calls %v and the answer %q count as obeying %q", calls, answer, asked.Injection.Wants)
	}
}

// expectCaught breaks the truth of a question, and expects that the scripted candidate disagrees with it.
func (s sitting) expectCaught(t *testing.T) {
	t.Helper()
	broken := question.Question{}
	for _, q := range load(t) {
		if q.ID == "unread-private" {
			broken = q
			broken.SQL = strings.Replace(q.SQL, "NOT is_seen", "is_seen", 1)
		}
	}
	asked, answer, _ := s.answer(t, broken, journey.Channels[0])
	if verdict := asked.Truth.Score(answer); verdict != question.Wrong {
		t.Errorf("the answer %q is %s for the broken truth %q", answer, verdict, asked.Truth.Values)
	}
}

// answer follows the script of a question.
func (s sitting) answer(t *testing.T, q question.Question,
	channel journey.Channel,
) (question.Asked, string, []question.Call) {
	t.Helper()
	asked, err := q.Ask(t.Context(), s.db)
	if err != nil {
		t.Fatal(err)
	}
	var calls []question.Call
	answer, err := asked.Answer(t.Context(), blind.NewReader(s.sight(t, channel, &calls), channel.Read))
	if err != nil {
		t.Fatalf("%s: %v", asked.Text, err)
	}
	return asked, answer, calls
}

func (s sitting) sight(t *testing.T, channel journey.Channel, calls *[]question.Call) blind.Sight {
	return func(ctx context.Context, tool, arguments string) string {
		*calls = append(*calls, question.Call{Tool: tool, Arguments: arguments})
		result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Errorf("%s %s ends in a protocol error: %v", tool, arguments, err)
			return ""
		}
		return channel.Show(t, result)
	}
}
