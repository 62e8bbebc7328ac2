package listing

import (
	"errors"
	"fmt"
	"strings"
)

// openingCharacters is the length in runes within which the instructions must make sense alone (R-INSTR-2), since some
// hosts show a model no more before it looks for tools.
const openingCharacters = 512

// topics are what the instructions must mention, and the words for it: in the opening, or anywhere.
var topics = []struct {
	isOpening  bool
	name, word string
}{
	{true, "reading only", "Read-only"},
	{true, "schema-first discovery", "Start with schema"},
	{true, "choosing a source", "connection_id"},
	{true, "typed object filters", "typed objects"},
	{true, "paging", "Page with limit and cursor"},
	{true, "narrowing", "narrow with fields"},
	{false, "the posture of a grant", "grant"},
	{false, "reading on after a search", "search returns ids"},
	{false, "fetching", "fetch"},
	{false, "long fields", "read_record_field"},
	{false, "event subscriptions", "Event subscriptions"},
	{false, "owner bearers", "Never use owner or control-plane bearers"},
}

// CheckInstructions joins an error for each topic that the instructions lack (R-INSTR-2, R-INSTR-3).
func CheckInstructions(instructions string) error {
	var problems []error
	for _, topic := range topics {
		text, place, requirement := instructions, "the instructions", "R-INSTR-3"
		if topic.isOpening {
			text, requirement = Opening(instructions), "R-INSTR-2"
			place = fmt.Sprintf("the first %d characters of the instructions", openingCharacters)
		}
		if !strings.Contains(text, topic.word) {
			problems = append(problems, fmt.Errorf("%s do not speak of %s: say it in the words %q in toolspec/surface.yaml (%s)",
				place, topic.name, topic.word, requirement))
		}
	}
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
