package rawjson

// Document is a document that was checked, with notes of where the values of its first levels stand: a cursor passes those
// without looking at their bytes again. The zero value is no document. It is immutable.
type Document struct {
	text  []byte
	notes []note
}

// Unnoted is a document of a value out of a checked one, without notes.
func Unnoted(value Value) Document { return Document{text: value} }

// Text is the document without whitespace between its tokens. It is not to be written to.
func (d *Document) Text() Value { return d.text }

// Cursor stands before the document's value.
func (d *Document) Cursor() Cursor { return Cursor{doc: d, note: firstNote} }

// note says where a value stands, in bytes from the beginning of the document. Notes are in the order of the values.
type note struct {
	start int32 // of the name of a member, with its quotes and without escapes; else of the value
	value int32
	end   int32
	next  int32 // the note of the value behind it, which is not in it
}

// Bounds of what is noted. A page of records has its rows on the third level, and on the fourth their fields.
const (
	notedDepth = 4
	notedBytes = 1 << 30 // of a document, so that places are small
	noteFor    = 16      // bytes of a document: notes take no more memory than it, but for the few that every document may have
	notesFew   = 64
	noteUsual  = 64 // bytes of a document for which room for a note is kept, beside the few
	firstNote  = 1  // 0 is no note
)

// begin notes that a value begins here, with its name at start. It is 0 when that is not noted, and of a document with
// whitespace between its tokens, whose values will move.
func (c *checker) begin(start int) int32 {
	if c.depth > notedDepth || c.spaces > 0 || len(c.notes) >= c.notesMost {
		return 0
	}
	c.notes = append(c.notes, note{start: int32(start), value: int32(c.at)})
	return int32(len(c.notes) - 1)
}

// finish notes that a value ends here.
func (c *checker) finish(at int32) {
	if at > 0 {
		c.notes[at].end, c.notes[at].next = int32(c.at), int32(len(c.notes))
	}
}

// inside are the notes of what is in a value: the first, and the one behind the last. They are the same when there are none.
func (c *checker) inside(value int32) (from, until int32) {
	if value == 0 {
		return 0, 0
	}
	return value + 1, c.notes[value].next
}

// noted is the name at a note of a member.
func (c *checker) noted(at int32) []byte { return c.text[c.notes[at].start+1 : c.notes[at].value-2] }

// passes passes a name and its colon when they stand here as at a note. An element has none.
func (c *checker) passes(at int32) bool {
	known := c.text[c.notes[at].start:c.notes[at].value]
	if len(known) == 0 || len(c.text)-c.at < len(known) || string(c.text[c.at:c.at+len(known)]) != string(known) {
		return false
	}
	c.at += len(known)
	return true
}
