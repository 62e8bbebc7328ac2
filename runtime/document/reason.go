package document

import "fmt"

// Reason says why the text of a document is unavailable. Results show it.
type Reason string

// The reasons.
const (
	Encrypted   Reason = "encrypted"
	Damaged     Reason = "damaged"
	NoText      Reason = "no_text"
	TooLarge    Reason = "too_large" // a limit of Limits, of the file's size or of memory
	TooSlow     Reason = "too_slow"
	Unsupported Reason = "unsupported"
)

// Error reports that a document cannot be read.
type Error struct {
	Reason Reason
	Detail string // a clause that ends a sentence, such as "it has more than 10000 entries"; never content of the document
}

func (e *Error) Error() string {
	return fmt.Sprintf("the document cannot be read (%s): %s", e.Reason, e.Detail)
}
