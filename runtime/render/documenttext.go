package render

import (
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// documentText is the fields of a record as text, one after the other: name: value on a line, and a
// text of several lines below its name. Text stands as it is, other values as JSON.
type documentText struct {
	parts    []part
	clipped  []string // text fields that were cut
	narrowed []string // other fields that were cut
	alone    bool     // there is one field only
	left     []string // fields whose very names did not fit
}

type part struct {
	name   string
	text   string
	isText bool
	shown  string
}

func newDocumentText(fields rawjson.Object) *documentText {
	d := &documentText{alone: len(fields) == 1}
	for _, field := range fields {
		p := part{name: field.Name}
		if p.text, p.isText = rawjson.Text(field.Value); !p.isText {
			p.text = string(field.Value)
		}
		if described := describeBinary(p.text); p.isText && described != "" {
			p.text = described // R-QRY-3; a blob reference says its own type and size
		}
		p.shown = p.text
		d.parts = append(d.parts, p)
	}
	return d
}

// fit clips the longest fields to one length so that the text stays within a number of characters,
// escapes counted.
func (d *documentText) fit(characters int) {
	d.clipped, d.narrowed = nil, nil
	lengths, fixed := []int{}, 0
	for i, part := range d.parts {
		fixed += rawLength(rawjson.Quote(part.name)) + documentMarkCharacters
		if fixed > characters {
			d.leave(i)
			break
		}
		lengths = append(lengths, rawLength(rawjson.Quote(part.text)))
	}
	ceiling := Ceiling(lengths, max(0, characters-fixed))
	for i := range d.parts {
		part := &d.parts[i]
		if part.shown = part.text; lengths[i] <= ceiling {
			continue
		}
		shown, _ := rawjson.Text(clipQuoted(part.text, ceiling))
		part.shown = fmt.Sprintf("%s … (%d of %d characters)", shown, Length(shown), Length(part.text))
		if part.isText {
			d.clipped = append(d.clipped, part.name)
		} else {
			d.narrowed = append(d.narrowed, part.name)
		}
	}
}

// leave takes the fields from an index on out of the text.
func (d *documentText) leave(from int) {
	for _, part := range d.parts[from:] {
		d.left = append(d.left, part.name)
	}
	d.parts = d.parts[:from]
}

// documentMarkCharacters is the room for the mark of a clipped field and for the separators.
const documentMarkCharacters = 48

func (d *documentText) String() string {
	var out strings.Builder
	for i, part := range d.parts {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(part.name)
		out.WriteByte(':')
		if strings.Contains(part.shown, "\n") {
			out.WriteByte('\n')
		} else {
			out.WriteByte(' ')
		}
		out.WriteString(part.shown)
	}
	return out.String()
}

// length is the length of the text in JSON.
func (d *documentText) length() int { return rawLength(rawjson.Quote(d.String())) }
