package document

import "fmt"

// Obstacle says why the text of a document is unavailable. Results show it.
type Obstacle string

// The obstacles.
const (
	Encrypted   Obstacle = "encrypted"
	Damaged     Obstacle = "damaged"
	NoText      Obstacle = "no_text"
	TooLarge    Obstacle = "too_large" // a limit of Limits, of the file's size or of memory
	TooSlow     Obstacle = "too_slow"
	Unsupported Obstacle = "unsupported"
)

// Error reports that a document cannot be read.
type Error struct {
	Reason Obstacle
	Detail string // a clause that ends a sentence, such as "it has more than 10000 entries"; never content of the document
}

func (e *Error) Error() string {
	return fmt.Sprintf("the document cannot be read (%s): %s", e.Reason, e.Detail)
}
