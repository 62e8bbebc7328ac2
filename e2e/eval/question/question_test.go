package question_test

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"slices"
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
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

func load(t *testing.T) []question.Question {
	t.Helper()
	all, err := question.Load()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// R-EVAL-2: the set has at least 60 questions, a third of which are hard: without an answer, of two sources, of a file, or of
// another time zone.
func TestSet(t *testing.T) {
	ids, hard, hostile := map[string]bool{}, 0, 0
	for _, q := range load(t) {
		if ids[q.ID] || q.Text == "" || len(q.Tags) == 0 || len(q.Script) == 0 {
			t.Errorf("%s is there twice, or has no text, tag or script", q.ID)
		}
		ids[q.ID] = true
		for _, tag := range q.Tags {
			if !slices.Contains(question.Tags, tag) {
				t.Errorf("%s has the unknown tag %q", q.ID, tag)
			}
		}
		if slices.ContainsFunc(q.Tags, func(tag string) bool { return slices.Contains([]string{"none", "accounts", "documents", "time"}, tag) }) {
			hard++
		}
		if isHostile := slices.Contains(q.Tags, "injection"); isHostile != (q.Injection != nil) {
			t.Errorf("%s has the tag injection: %t, and an injection: %t", q.ID, isHostile, q.Injection != nil)
		} else if isHostile {
			hostile++
		}
	}
	if len(ids) < 60 || 3*hard < len(ids) || hostile < 8 {
		t.Errorf("%d questions, %d hard, %d with an injection", len(ids), hard, hostile)
	}
}

// A question that does not have exactly one answer is refused.
func TestBrokenTruthIsCaught(t *testing.T) {
	db := open(t, 1)
	for name, broken := range map[string]question.Question{
		"several answers":       {Kind: question.Text, SQL: "SELECT subject FROM mail"},
		"no answer":             {Kind: question.Number, SQL: "SELECT cents FROM payment WHERE counterparty = 'No Such Shop'"},
		"no number":             {Kind: question.Number, SQL: "SELECT subject FROM mail LIMIT 1"},
		"nothing in the answer": {Kind: question.Text, SQL: "SELECT matched('abc', '(x)')"},
		"an empty set":          {Kind: question.Set, SQL: "SELECT subject FROM mail WHERE account = 'x'"},
		"an item twice":         {Kind: question.Set, SQL: "SELECT 'a' UNION ALL SELECT 'a'"},
		"an answer in the data": {Kind: question.None, SQL: "SELECT key FROM mail"},
		"an unknown kind":       {Kind: "colour", SQL: "SELECT 1"},
		"two persons given":     {Kind: question.Number, Given: "SELECT DISTINCT from_name FROM mail", SQL: "SELECT 1"},
	} {
		var malformed *question.MalformedError
		if _, err := broken.Ask(t.Context(), db); !errors.As(err, &malformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (question.Question{Kind: question.Number, Text: "{{.name}}", SQL: "SELECT 1"}).Ask(t.Context(), db); err == nil {
		t.Error("a text with an unknown value is accepted")
	}
}

var (
	persons = flag.Uint64("persons", 3, "how many persons to check questions against")
	scripts = flag.String("scripts", "", "`persons` to check scripts against with both channels, separated by commas (default: each script once)")
)

// R-EVAL-2: every question has exactly one answer for every person, and answers differ between persons.
func TestQuestionsHaveOneAnswer(t *testing.T) {
	all := load(t)
	answers := make([]map[string]bool, len(all))
	for i := range all {
		answers[i] = map[string]bool{}
	}
	for person := uint64(1); person <= *persons; person++ {
		db := open(t, person)
		for i, q := range all {
			asked, err := q.Ask(t.Context(), db)
			if err != nil {
				t.Errorf("person %d: %v", person, err)
			}
			answers[i][strings.Join(asked.Truth.Values, "; ")] = true
		}
	}
	for i, q := range all {
		if q.Kind != question.None && len(answers[i]) < 2 {
			t.Errorf("%s: %d persons have the same answer: %v", q.ID, *persons, answers[i])
		}
		t.Logf("%s: %d answers of %d persons", q.ID, len(answers[i]), *persons)
	}
}

func open(t *testing.T, person uint64) *sql.DB {
	t.Helper()
	records, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = records.Close() })
	if err := records.Load(t.Context(), sample.Person(person)); err != nil {
		t.Fatal(err)
	}
	return records.DB()
}

// R-EVAL-2: the scripted candidate answers every question with what either channel shows. Without -scripts, a script reads one
// of the channels, to save time.
func TestScriptsAnswer(t *testing.T) {
	for _, number := range strings.Split(cmp.Or(*scripts, "101"), ",") {
		person, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(number, func(t *testing.T) { answerScripts(t, person, *scripts != "") })
	}
}

func answerScripts(t *testing.T, person uint64, everyChannel bool) {
	t.Helper()
	data := sample.Person(person)
	box, url := sandboxtest.Serve(t, sandbox.Options{Data: &data})
	session := connect(t, url, box.Tokens()["everything"])
	for c, channel := range journey.Channels {
		for i, q := range load(t) {
			if !everyChannel && i%len(journey.Channels) != c {
				continue
			}
			t.Run(channel.Name+"/"+q.ID, func(t *testing.T) {
				asked, err := q.Ask(t.Context(), box.Store().DB())
				if err != nil {
					t.Fatal(err)
				}
				var calls []question.Call
				answer, err := asked.Answer(t.Context(), blind.NewReader(sight(t, session, channel, &calls), channel.Read))
				if verdict := asked.Truth.Score(answer); err != nil || verdict != question.Right {
					t.Errorf("%s: %s; answer %.300q, truth %.300q; %v", asked.Text, verdict, answer, asked.Truth.Values, err)
				}
				if asked.Injection != nil && asked.Injection.React(calls, answer) != question.Ignored {
					t.Errorf("the calls %v and the answer %q count as obeying %q", calls, answer, asked.Injection.Wants)
				}
			})
		}
	}
}

func connect(t *testing.T, url, token string) *mcp.ClientSession {
	t.Helper()
	reader, err := rs.NewClient(rs.Options{BaseURL: url, Bearer: rs.NewSecret(token)})
	if err != nil {
		t.Fatal(err)
	}
	environment := func(context.Context) (tool.Env, error) { return tool.Env{RS: reader}, nil }
	return hosttest.Connect(t, gen.Surface(), hosttest.Options, environment)
}

func sight(t *testing.T, session *mcp.ClientSession, channel journey.Channel, calls *[]question.Call) blind.Sight {
	return func(ctx context.Context, tool, arguments string) string {
		*calls = append(*calls, question.Call{Tool: tool, Arguments: arguments})
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Errorf("%s %s ends in a protocol error: %v", tool, arguments, err)
			return ""
		}
		return channel.Show(t, result)
	}
}
