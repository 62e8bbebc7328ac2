package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Bounds of a record that is too large by itself. The rest of the channel is for the envelope.
const (
	shortenedCharacters = 24_000 // for its fields
	shortenedNames      = 20     // of cut fields
	shortenedCalls      = 3_000  // characters of its continuations
)

// shortened says what was cut from a record that does not fit by itself (R-BUD-3).
type shortened struct {
	clipped []string // text fields
	dropped []string // other members that were too large
	calls   []Call   // read on in the first of them
}

func (s *shortened) line() string {
	return fmt.Sprintf("fields_clipped=%d fields_left_out=%s: the record is too large for one result.",
		len(s.clipped), Visible(rawjson.Strings("", shownNames(s.dropped)).Value))
}

func (s *shortened) members() rawjson.Object {
	return rawjson.Object{
		rawjson.Strings("fields_clipped", shownNames(s.clipped)), rawjson.Strings("fields_left_out", shownNames(s.dropped)),
	}
}

func shownNames(names []string) []string {
	shown := make([]string, 0, shortenedNames)
	for _, name := range names[:min(len(names), shortenedNames)] {
		shown = append(shown, clipName(name))
	}
	return shown
}

// shortenFirst cuts the first row so that it fits: the longest texts are clipped to one length, and
// other values beyond that length are left out.
func (p *page) shortenFirst() {
	row := p.rows[0]
	p.short = &shortened{}
	relations := row.fetchExpanded()
	beside := row.dropBesideFields()
	row.shorten(p.short)
	p.encoded[0] = row.members.Encode()
	p.handles[0] = row.handleLine()
	p.short.calls = p.short.continuations(row.identity)
	if slices.Contains(beside, expandedName) && row.canFetch() {
		p.short.calls = append(p.short.calls, relations)
	}
	p.short.dropped = append(p.short.dropped, beside...)
}

// dropBesideFields takes out what is large beside the fields, such as expanded records, and names it.
func (r *row) dropBesideFields() []string {
	var dropped []string
	kept := rawjson.Object{}
	for _, member := range r.members {
		isField := member.Name == "data" || r.flat && !slices.Contains(envelopeNames, member.Name)
		if !isField && rawLength(member.Value) > labelCharacters*10 {
			dropped = append(dropped, member.Name)
			continue
		}
		kept = append(kept, member)
	}
	r.members = kept
	return dropped
}

func (r *row) shorten(short *shortened) {
	lengths, names := make([]int, len(r.fields)), 0
	for i, field := range r.fields {
		lengths[i] = rawLength(field.Value)
		names += Length(field.Name) + 4
	}
	ceiling := Ceiling(lengths, max(0, shortenedCharacters-names))
	r.whole = map[string]int{}
	fields := rawjson.Object{}
	for i, field := range r.fields {
		text, isText := rawjson.Text(field.Value)
		switch {
		case lengths[i] <= ceiling:
			fields = append(fields, field)
		case isText && describeBinary(text) == "":
			fields = append(fields, rawjson.Raw(field.Name, clipQuoted(text, ceiling)))
			short.clipped = append(short.clipped, field.Name)
			r.whole[field.Name] = utf8.RuneCountInString(text)
		default:
			short.dropped = append(short.dropped, field.Name)
		}
	}
	if r.flat {
		r.members = r.members.Without(namesOf(r.fields)...)
	}
	r.replaceFields(fields)
}

// continuations read on in what was cut: a text window by window, other values with fetch, which has
// more room and says what it cannot show. A record with very many of them is read by fields.
func (s *shortened) continuations(id identity) []Call {
	var calls []Call
	if names := passable(s.dropped); names != nil && id.canFetch() {
		calls = append(calls, id.fetchFields(names...))
	}
	for _, name := range s.clipped {
		if id.canRead(name) {
			calls = append(calls, id.readField(name))
		}
	}
	free := shortenedCalls
	for i, call := range calls {
		if free -= Length(call.Line()) + 1; free < 0 {
			return calls[:i]
		}
	}
	return calls
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
