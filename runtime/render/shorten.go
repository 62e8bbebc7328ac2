package render

import (
	"encoding/json"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/render/rawjson"
)

// shortenedCharacters is the room for the fields of a record that is too large by itself. The rest
// of the channel is for the envelope and the continuations.
const shortenedCharacters = 24_000

// shortenedFieldsNamed bounds the continuations of such a record; the longest fields come first in
// a record that has more of them.
const shortenedFieldsNamed = 20

// shortened says what was cut from a record that does not fit by itself (R-BUD-3).
type shortened struct {
	clipped []string // text fields, each with a continuation
	dropped []string // other members that were too large
	calls   []Call
}

func (s *shortened) line() string {
	return fmt.Sprintf("fields_clipped=%d fields_left_out=%s: the record is too large for one result.",
		len(s.clipped), rawjson.Strings("", s.dropped).Value)
}

// shortenFirst cuts the first row so that it fits: the longest texts are clipped to one length, and
// other values beyond that length are left out.
func (p *page) shortenFirst() {
	row := p.rows[0]
	p.short = &shortened{}
	kept := rawjson.Object{}
	for _, member := range row.members { // expanded records, and what else stands beside the fields
		if member.Name != "data" && rawLength(member.Value) > labelCharacters*10 && (!row.flat || contains(envelopeNames, member.Name)) {
			p.short.dropped = append(p.short.dropped, clipName(member.Name))
			continue
		}
		kept = append(kept, member)
	}
	row.members = kept
	row.shorten(p.short)
	p.encoded[0] = row.members.Encode()
	p.short.bound()
}

func (r *row) shorten(short *shortened) {
	lengths, names := make([]int, len(r.fields)), 0
	for i, field := range r.fields {
		lengths[i] = rawLength(field.Value)
		names += Length(field.Name) + 4
	}
	ceiling := Ceiling(lengths, max(0, shortenedCharacters-names))
	fields := rawjson.Object{}
	for i, field := range r.fields {
		text, isText := rawjson.Text(field.Value)
		switch {
		case lengths[i] <= ceiling:
			fields = append(fields, field)
		case isText && describeBinary(text) == "":
			fields = append(fields, rawjson.Raw(field.Name, clipQuoted(text, ceiling)))
			short.clipped = append(short.clipped, clipName(field.Name))
			short.calls = append(short.calls, r.readField(field.Name))
		default:
			short.dropped = append(short.dropped, clipName(field.Name))
		}
	}
	if r.flat {
		r.members = r.members.Without(namesOf(r.fields)...)
	}
	r.replaceFields(fields)
}

// bound keeps the list of cuts short. A record with that many long fields is read by fields.
func (s *shortened) bound() {
	s.clipped = s.clipped[:min(len(s.clipped), shortenedFieldsNamed)]
	s.calls = s.calls[:min(len(s.calls), shortenedFieldsNamed)]
	s.dropped = s.dropped[:min(len(s.dropped), shortenedFieldsNamed)]
}

func namesOf(object rawjson.Object) []string {
	names := make([]string, len(object))
	for i, member := range object {
		names[i] = member.Name
	}
	return names
}

func clipName(name string) string {
	clipped, _ := Clip(name, labelCharacters)
	return clipped
}

// clipQuoted is the beginning of a text as a JSON string of at most so many characters, quotes and
// escapes counted.
func clipQuoted(text string, characters int) json.RawMessage {
	low, high := 0, min(Length(text), max(0, characters))
	for low < high {
		middle := (low + high + 1) / 2
		clipped, _ := Clip(text, middle)
		if rawLength(rawjson.Quote(clipped)) <= characters {
			low = middle
		} else {
			high = middle - 1
		}
	}
	clipped, _ := Clip(text, low)
	return rawjson.Quote(clipped)
}
