package answer

import (
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
)

// Window is a window of a text field, or of the text of the file to which the field refers (R-WIN-1).
type Window struct {
	Origin
	Call      Given // the call that it answers
	Target    recordid.Target
	FieldPath string
	Field     rawjson.Object // what is known of the field; nil: its path alone
	Text      string
	Range     rawjson.Object // the window as the resource server sent it, with Text and corrected offsets; nil: a file without text
	Matches   *LaterMatches  // of q after this window; nil: unknown
	File      *File          // nil: a text field
	Warnings  []rawjson.Value
}

// MaxWindow is the maximum length of a window in code points (R-ARG-9).
const MaxWindow = 16_384

// LaterMatches are the matches of q after the first one (R-WIN-4).
type LaterMatches struct {
	Offsets  []int64 // of the first ones, in code points
	Length   int64   // of each, in code points
	Total    int
	Lead     int64 // code points that a window has before a match, unless the caller asks for another number
	Searched int64 // where the search ended before the end of the field; 0: the whole field was searched
}

// File is the file to which a field refers.
type File struct {
	Document rawjson.Object // its format and parts, or why it cannot be read; nil: not a document
	Note     string         // what is shown of the file and what is not; empty: its text is shown
	Resource string         // URI of the whole file; empty: it is too large for a resource
	Save     string         // command that saves the file
	Shown    *Attachment    // bytes that a host shows next to the text, or returns as a resource; may be nil
}

// Attachment is the checked bytes of a file, or of the image of a page.
type Attachment struct {
	MediaType string
	Data      []byte
}

// Past returns the first match that ends after an offset. It is false if none is known.
func (m *LaterMatches) Past(offset int64) (int64, bool) {
	if m == nil {
		return 0, false
	}
	for _, match := range m.Offsets {
		if match+m.Length > offset {
			return match, true
		}
	}
	return 0, false
}
