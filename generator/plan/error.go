package plan

import "fmt"

// Error is something in a spec that the generator cannot express. A spec that toolspec has accepted
// gives none, so it is a word that the vocabulary has and the generator does not.
type Error struct {
	File    string // the spec
	Place   string // such as arguments[1].send
	Message string // what is wrong, and what to do
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s: %s", e.File, e.Place, e.Message) }
