//go:build !race

package question_test

import (
	"database/sql"
	"errors"
	"flag"
	"strconv"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/question"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

var persons = flag.Uint64("persons", 3, "how many persons to check questions against")

// R-EVAL-2: every question has exactly one answer for every person, and answers differ between persons.
func TestQuestionsHaveOneAnswer(t *testing.T) {
	all, answers := load(t), map[string]map[string]int{}
	for person := uint64(1); person <= *persons; person++ {
		t.Run(strconv.FormatUint(person, 10), func(t *testing.T) {
			db := open(t, person)
			for _, q := range all {
				asked, err := q.Ask(t.Context(), db)
				if err != nil {
					t.Error(err)
				}
				if answers[q.ID] == nil {
					answers[q.ID] = map[string]int{}
				}
				answers[q.ID][strings.Join(asked.Truth.Values, "; ")]++
			}
		})
	}
	for _, q := range all {
		for answer, n := range answers[q.ID] {
			if q.Kind != question.None && 4*n > 3*int(*persons) {
				t.Errorf("%s: %d of %d persons have the answer %q, so that it can be learnt", q.ID, n, *persons, answer)
			}
		}
		t.Logf("%s: %d answers of %d persons", q.ID, len(answers[q.ID]), *persons)
	}
}

// open returns the database of a person.
func open(t *testing.T, person uint64) *sql.DB {
	t.Helper()
	records, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := records.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := records.Load(t.Context(), sample.Person(person)); err != nil {
		t.Fatal(err)
	}
	return records.DB()
}

// A question that does not have exactly one answer is refused.
func TestBrokenTruthIsCaught(t *testing.T) {
	db := open(t, 1)
	for name, broken := range map[string]question.Question{
		"several answers": {Kind: question.Text, SQL: "SELECT subject FROM mail"},
		"no answer": {
			Kind: question.Number,
			SQL:  "SELECT cents FROM payment WHERE counterparty = 'No Such Shop'",
		},
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
	if _, err := (question.Question{Kind: question.Number, Text: "{{.name}}", SQL: "SELECT 1"}).Ask(t.Context(),
		db); err == nil {
		t.Error("a text with an unknown value is accepted")
	}
}
