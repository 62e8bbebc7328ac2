package listing

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// longestShared is the longest run of words that two tools may share (R-SURF-5 forbids 20).
const longestShared = 19

// CheckGuidance joins an error for each pair of tools that repeat guidance.
func CheckGuidance(surface *toolspec.Surface) error {
	var problems []error
	for i, first := range surface.Tools {
		for _, second := range surface.Tools[i+1:] {
			if run := sharedRun(prose(first), prose(second)); run != "" {
				problems = append(problems, fmt.Errorf("%s and %s both say %q: say it once, in the instructions or in schema",
					first.Name, second.Name, run))
			}
		}
	}
	return errors.Join(problems...)
}

// prose returns the words of each text of a tool. Runs do not cross texts.
func prose(tool toolspec.Tool) [][]string {
	texts := [][]string{strings.Fields(tool.Description)}
	for _, argument := range tool.Arguments {
		texts = append(texts, strings.Fields(argument.Description))
	}
	for _, property := range tool.Structured.Properties {
		texts = append(texts, strings.Fields(property.Description))
	}
	return texts
}

func sharedRun(first, second [][]string) string {
	runs := runsOf(first)
	for _, run := range runsOf(second) {
		if slices.Contains(runs, run) {
			return run
		}
	}
	return ""
}

func runsOf(texts [][]string) []string {
	var runs []string
	for _, words := range texts {
		for start := 0; start+longestShared < len(words); start++ {
			runs = append(runs, strings.Join(words[start:start+longestShared+1], " "))
		}
	}
	return runs
}
