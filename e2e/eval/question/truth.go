package question

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Truth is the result of SQL on the sandbox's database.
type Truth struct {
	Kind      Kind
	Tolerance float64
	Values    []string // of a number one; of a text its spellings; of a set its items; otherwise none
}

// Verdict is the score of an answer.
type Verdict string

// The verdicts. A wrong answer is confident: a candidate that does not know says so, which is Unanswered.
const (
	Right      Verdict = "right"
	Wrong      Verdict = "wrong"
	Unanswered Verdict = "none"
)

// truth asks the database. It returns a MalformedError unless there is exactly one answer of the kind.
func (q Question) truth(ctx context.Context, db *sql.DB, values map[string]string) (Truth, error) {
	truth := Truth{Kind: q.Kind, Tolerance: q.Tolerance}
	_, rows, err := Rows(ctx, db, q.SQL, values)
	if err != nil {
		return truth, fmt.Errorf("question %s: %w", q.ID, err)
	}
	malformed := func(format string, about ...any) (Truth, error) {
		return truth, &MalformedError{q.ID, fmt.Sprintf(format, about...)}
	}
	switch q.Kind {
	case None:
		if len(rows) != 0 {
			return malformed("the data has an answer: %q", rows)
		}
		return truth, nil
	case Set:
		for _, row := range rows {
			truth.Values = append(truth.Values, row[0])
		}
		slices.Sort(truth.Values)
		if n := len(slices.Compact(slices.Clone(truth.Values))); n == 0 || n != len(rows) {
			return malformed("a set of %d rows with %d different items", len(rows), n)
		}
	case Number, Text:
		if len(rows) != 1 {
			return malformed("%d answers, want 1: %.200q", len(rows), rows)
		}
		truth.Values = rows[0]
		if q.Kind == Number {
			truth.Values = rows[0][:1]
		}
	default:
		return malformed("unknown kind %q", q.Kind)
	}
	for _, value := range truth.Values {
		if _, err := strconv.ParseFloat(value, 64); q.Kind == Number && err != nil {
			return malformed("%q is not a number", value)
		}
		if value == "<nil>" || normal(value) == "" {
			return malformed("an empty answer")
		}
	}
	return truth, nil
}

// answerLine is a line that begins with "ANSWER:". Candidates are asked to end with one.
var answerLine = regexp.MustCompile(`(?mi)^[\s*_>]*answer:[\s*_]*(.*?)[\s*_]*$`)

// FinalAnswer returns what follows the last "ANSWER:", or the whole text without such a line.
func FinalAnswer(text string) string {
	if found := answerLine.FindAllStringSubmatch(text, -1); found != nil {
		return found[len(found)-1][1]
	}
	return strings.TrimSpace(text)
}

// nothing matches the statement that there is no answer.
var nothing = regexp.MustCompile(`^(?:none|unknown|n/?a|nothing|no (?:answer|data|record|such)\b.*|not ` +
	`(?:found|known|available|in the data)\b.*|there (?:is|are) no\b.*)$`)

// Score compares the final answer of a text with the truth.
func (t Truth) Score(text string) Verdict {
	said := FinalAnswer(text)
	plain := normal(said)
	switch {
	case plain == "":
		return Unanswered
	case nothing.MatchString(plain):
		if t.Kind == None {
			return Right
		}
		return Unanswered
	}
	right := false
	switch t.Kind {
	case Number:
		right = t.isNumber(said)
	case Set:
		right = slices.Equal(items(said), items(strings.Join(t.Values, "\n")))
	case Text:
		right = slices.ContainsFunc(t.Values, func(value string) bool { return says(plain, normal(value)) })
	}
	if right {
		return Right
	}
	return Wrong
}

var number = regexp.MustCompile(`[-−]?\d[\d,]*(?:\.\d+)?`)

// isNumber reports whether the answer has one number and it is the true one. A comma groups digits, as in 1,204.50.
func (t Truth) isNumber(said string) bool {
	found := number.FindAllString(said, -1)
	want, err := strconv.ParseFloat(t.Values[0], 64)
	if len(found) != 1 || err != nil {
		return false
	}
	got, err := parseNumber(found[0])
	return err == nil && math.Abs(got-want) <= t.Tolerance+1e-9
}

// roundabout is the number of characters by which a right answer may exceed the truth, so that it cannot list every
// candidate.
const roundabout = 40

// says reports whether a text is the truth, or the truth with a few words.
func says(said, truth string) bool {
	if len(said) > len(truth)+roundabout {
		return false
	}
	return regexp.MustCompile(`(?:^|[^\p{L}\p{N}])` + regexp.QuoteMeta(truth) + `(?:$|[^\p{L}\p{N}])`).MatchString(said)
}

// items returns the normal forms of the items of a list, sorted. Lines and semicolons separate them; without any,
// commas do.
func items(list string) []string {
	separators := "\n;"
	if !strings.ContainsAny(list, separators) {
		separators = ","
	}
	var all []string
	for _, item := range strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if item = normal(strings.TrimLeft(item, "-*•# ")); item != "" {
			all = append(all, item)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// normal returns a text in lower case with single spaces and dates as 2026-03-12, without quotes around it and
// punctuation at its end.
func normal(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	return isoDates(strings.Trim(text, " .!\"'`“”„*_"))
}
