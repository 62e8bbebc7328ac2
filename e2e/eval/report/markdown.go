package report

import (
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/question"
)

// Markdown returns the tables of the report.
func (r Report) Markdown() string {
	var text strings.Builder
	first := r.Runs[0]
	fmt.Fprintf(&text, "# Evaluation of %s\n\n", first.Candidate)
	fmt.Fprintf(&text, "Started %s, persons %v, server `%s`.\n\n", r.Started.Format("2006-01-02 15:04 MST"),
		r.Seeds, first.Server)
	text.WriteString("| tag | channel | questions | right | pass@1 (95 %) | pass^k | wrong but confident | calls | tool " +
		"tokens | seconds |\n")
	text.WriteString("|---|---|---|---|---|---|---|---|---|---|\n")
	for _, s := range r.Summaries {
		fmt.Fprintf(&text, "| %s | %s | %d | %d of %d | %s | %s (k=%d) | %s | %.1f | %.0f | %.1f |\n", s.Tag,
			s.Channel, s.Questions,
			s.Right, s.Attempts, percents(s.Pass1), percent(s.PassK), s.K, percent(s.Confident), s.Calls, s.Tokens, s.Seconds)
	}
	if failed, dollars := r.Totals(); failed > 0 || dollars > 0 {
		fmt.Fprintf(&text, "\n%d attempts failed and are in no rate. The run cost $%.2f.\n", failed, dollars)
	}
	if len(r.Injections) > 0 {
		text.WriteString("\n| injections | channel | obeyed | mentioned | ignored |\n|---|---|---|---|---|\n")
		for _, s := range r.Injections {
			fmt.Fprintf(&text, "| %d | %s | %d | %d | %d |\n",
				s.Reactions[string(question.Obeyed)]+s.Reactions[string(question.Mentioned)]+
					s.Reactions[string(question.Ignored)], s.Channel, s.Reactions[string(question.Obeyed)],
				s.Reactions[string(question.Mentioned)], s.Reactions[string(question.Ignored)])
		}
	}
	if len(r.Differences) > 0 {
		fmt.Fprintf(&text, "\n%s minus %s, on the same questions:\n\n| tag | questions | pass@1 | calls | tool tokens "+
			"|\n|---|---|---|---|---|\n",
			first.Name, r.Runs[1].Name)
		for _, d := range r.Differences {
			fmt.Fprintf(&text, "| %s | %d | %s | %s | %s |\n", d.Tag, d.Questions, points(d.Pass1), signed(d.Calls, 1),
				signed(d.Tokens, 0))
		}
	}
	return text.String()
}

// Totals returns the number of failed attempts and the cost of the first run.
func (r Report) Totals() (failed int, dollars float64) {
	for _, s := range r.Summaries {
		if s.Tag == allTags {
			failed += s.Failed
			dollars += s.Dollars
		}
	}
	return failed, dollars
}

func percent(rate float64) string { return fmt.Sprintf("%.0f %%", 100*rate) }

func percents(i Interval) string {
	return fmt.Sprintf("%.0f %% (%.0f to %.0f)", 100*i.Value, 100*i.Low, 100*i.High)
}

// points returns a difference of rates in percentage points.
func points(i Interval) string {
	return signed(Interval{100 * i.Value, 100 * i.Low, 100 * i.High}, 0) + " points"
}

func signed(i Interval, digits int) string {
	return fmt.Sprintf("%+.*f (%+.*f to %+.*f)", digits, i.Value, digits, i.Low, digits, i.High)
}
