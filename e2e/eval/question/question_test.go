package question_test

import (
	"slices"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/question"
)

func load(t *testing.T) []question.Question {
	t.Helper()
	all, err := question.Load()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// R-EVAL-2: the set has at least 60 questions. A third of them have no answer in the data, or need two sources, a file
// or another time zone.
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
		if slices.ContainsFunc(q.Tags,
			func(tag string) bool { return slices.Contains([]string{"none", "accounts", "documents", "time"}, tag) }) {
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
