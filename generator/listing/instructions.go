package listing

import (
	"errors"
	"fmt"
	"strings"
)

// openingCharacters is how much of the instructions has to stand alone (R-INSTR-2), in runes: some
// hosts show a model no more before it looks for tools.
const openingCharacters = 512

// MissingGuidanceError is something that the instructions have to say and do not.
type MissingGuidanceError struct {
	Requirement string
	Topic       string
	Word        string // the words that were looked for
	Within      int    // the first characters that have to hold it; 0: anywhere
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

// opening is what a model has to know before its first call.
var opening = []topic{
	{"reading only", "Read-only"},
	{"schema-first discovery", "Start with schema"},
	{"choosing a source", "connection_id"},
	{"typed object filters", "typed objects"},
	{"paging", "Page with limit and cursor"},
	{"narrowing", "narrow with fields"},
}

// whole is what the instructions have to say somewhere.
var whole = []topic{
	{"the posture of a grant", "grant"},
	{"reading on after a search", "search returns ids"},
	{"fetching", "fetch"},
	{"long fields", "read_record_field"},
	{"event subscriptions", "Event subscriptions"},
	{"owner bearers", "Never use owner or control-plane bearers"},
}

// CheckInstructions gives everything that the instructions leave out, each as a *MissingGuidanceError
// (errors.Join).
func CheckInstructions(instructions string) error {
	var problems []error
	require := func(text, requirement string, within int, topics []topic) {
		for _, topic := range topics {
			if !strings.Contains(text, topic.word) {
				problems = append(problems, &MissingGuidanceError{Requirement: requirement, Topic: topic.name, Word: topic.word, Within: within})
			}
		}
	}
	require(Opening(instructions), "R-INSTR-2", openingCharacters, opening)
	require(instructions, "R-INSTR-3", 0, whole)
	return errors.Join(problems...)
}

// Opening is the first 512 characters, cut back to the end of a sentence: what stands alone.
func Opening(instructions string) string {
	runes := []rune(instructions)
	if len(runes) <= openingCharacters {
		return instructions
	}
	// The white space after a full stop may be the first character that is cut off.
	cut := string(runes[:openingCharacters+1])
	end := max(strings.LastIndex(cut, ". "), strings.LastIndex(cut, ".\n"))
	return cut[:end+1]
}
