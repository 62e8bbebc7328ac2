package listing

import (
	"errors"
	"fmt"
	"strings"
)

// openingCharacters is the length in runes within which the instructions must make sense alone (R-INSTR-2), since some
// hosts show a model no more before it looks for tools.
const openingCharacters = 512

// MissingGuidanceError is a topic that the instructions must mention and do not.
type MissingGuidanceError struct {
	Requirement string
	Topic       string
	Word        string // the words that were looked for
	Within      int    // the length of the opening that must contain it, in runes; 0: anywhere
}

func (e *MissingGuidanceError) Error() string {
	place := "the instructions"
	if e.Within > 0 {
		place = fmt.Sprintf("the first %d characters of the instructions", e.Within)
	}
	return fmt.Sprintf("%s do not speak of %s: say it in the words %q in toolspec/surface.yaml (%s)",
		place, e.Topic, e.Word, e.Requirement)
}

type topic struct{ name, word string }

// opening has the topics that the opening must mention.
var opening = []topic{
	{"reading only", "Read-only"},
	{"schema-first discovery", "Start with schema"},
	{"choosing a source", "connection_id"},
	{"typed object filters", "typed objects"},
	{"paging", "Page with limit and cursor"},
	{"narrowing", "narrow with fields"},
}

// whole has the topics that the instructions must mention anywhere.
var whole = []topic{
	{"the posture of a grant", "grant"},
	{"reading on after a search", "search returns ids"},
	{"fetching", "fetch"},
	{"long fields", "read_record_field"},
	{"event subscriptions", "Event subscriptions"},
	{"owner bearers", "Never use owner or control-plane bearers"},
}

// CheckInstructions joins a *MissingGuidanceError for each topic that the instructions lack.
func CheckInstructions(instructions string) error {
	var problems []error
	require := func(text, requirement string, within int, topics []topic) {
		for _, topic := range topics {
			if !strings.Contains(text, topic.word) {
				problems = append(problems,
					&MissingGuidanceError{Requirement: requirement, Topic: topic.name, Word: topic.word, Within: within})
			}
		}
	}
	require(Opening(instructions), "R-INSTR-2", openingCharacters, opening)
	require(instructions, "R-INSTR-3", 0, whole)
	return errors.Join(problems...)
}

// Opening returns the first 512 characters of the instructions, cut back to the end of a sentence.
func Opening(instructions string) string {
	runes := []rune(instructions)
	if len(runes) <= openingCharacters {
		return instructions
	}
	// One more character is kept for the white space after a full stop.
	cut := string(runes[:openingCharacters+1])
	end := max(strings.LastIndex(cut, ". "), strings.LastIndex(cut, ".\n"))
	return cut[:end+1]
}
