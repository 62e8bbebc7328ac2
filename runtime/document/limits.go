package document

import "fmt"

// Limits bound what reading a document costs (R-DOC-4). Beyond one, a reader fails with TooLarge.
type Limits struct {
	Entries  int   // of a zip file
	Unpacked int64 // bytes of all entries that are read
	Nesting  int   // elements in each other
	Text     int   // bytes of the text
}

// DefaultLimits returns the limits of R-DOC-4.
func DefaultLimits() Limits {
	return Limits{Entries: 10_000, Unpacked: 128 << 20, Nesting: 256, Text: 8 << 20}
}

// TextError returns the error of a text that is longer than the limit.
func (l Limits) TextError() error {
	return &Error{Reason: TooLarge, Detail: fmt.Sprintf("it has more than %d bytes of text", l.Text)}
}
