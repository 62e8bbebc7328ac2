package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of the values of a page that does not fit (R-BUD-3, R-BUD-6), in characters as read_record_field counts them.
const (
	wholeCharacters     = 8_000  // a value of so many is never clipped to make room for other rows
	clippedCharacters   = 2_000  // of a longer one, at least, before a page loses rows for its sake
	shortenedCharacters = 32_000 // for the fields of a record that is too large by itself
	shortenedNames      = 20     // of fields that are clipped or left out
	cutsCharacters      = 6_000  // of the list of what was clipped, when a record is too large by itself
)

// cut is a value of which a row shows the beginning only.
type cut struct {
	handle, name string
	shown, whole int
	next         []Call // read on where the beginning ends; none when no call can name the field
}

func (c cut) encode() json.RawMessage {
	object := rawjson.Object{
		rawjson.String("id", c.handle), rawjson.String("field", Clip(c.name, labelCharacters)),
		rawjson.Int("characters_shown", int64(c.shown)), rawjson.Int("characters", int64(c.whole)),
	}
	for _, call := range c.next {
		object = append(object, rawjson.Raw("next", call.Structured()))
	}
	return object.Encode()
}

// clip shows the long values of the rows by their beginning, when more rows fit for it: as much of them as there is
// room for, each the same. A first row that is too large by itself is cut until it fits.
func (p *page) clip() {
	encoded, shown, fitted := p.encoded, p.shown, p.fitted
	if p.clipRows(encoded, wholeCharacters, clippedCharacters) {
		p.fitted = p.fit()
	}
	switch {
	case p.shown == 0:
		p.show(1)
		p.shortenFirst(encoded)
	case p.shown <= shown: // it is no help
		p.encoded, p.cuts = encoded, nil
		p.show(shown)
		p.fitted = fitted
	default:
		p.widen(encoded)
	}
}

// clipRows clips values of more than so many characters to others, in the rows that may fit, and reports whether there
// are any.
func (p *page) clipRows(encoded []json.RawMessage, above, shown int) bool {
	p.encoded, p.cuts = slices.Clone(encoded), make([][]cut, len(encoded))
	length, found := 0, false
	for i := range encoded {
		if len(encoded[i]) > above {
			p.encoded[i], p.cuts[i] = p.rows[i].clipped(encoded[i], above, shown)
			found = found || p.cuts[i] != nil
		}
		if length += rawLength(p.encoded[i]); length > ChannelCharacters {
			break // no row after it is shown
		}
	}
	return found
}

// widen shows more of the values that were clipped, as long as the same rows fit. Characters that are escaped take more
// room than one, so that the first guess may be too much.
func (p *page) widen(encoded []json.RawMessage) {
	rows, least, leastCuts, fitted := p.shown, p.encoded, p.cuts, p.fitted
	var lengths []int
	free := ChannelCharacters - rawLength(fitted)
	if p.leftOut() > 0 {
		free -= cursorCharacters
	}
	for _, cuts := range p.cuts[:rows] {
		for _, cut := range cuts {
			lengths = append(lengths, cut.whole)
			free += cut.shown
		}
	}
	for shown := Ceiling(lengths, free); shown > clippedCharacters; shown = (clippedCharacters+shown)/2 - 1 {
		p.clipRows(encoded[:rows], max(wholeCharacters, shown), shown)
		p.encoded = append(p.encoded, least[rows:]...)
		p.show(rows)
		if p.fitted = p.structured(); isWithin(p.fitted, ChannelCharacters-p.reserve()) {
			return
		}
	}
	p.encoded, p.cuts, p.fitted = least, leastCuts, fitted
	p.show(rows)
}

// reserve is what a page keeps free that is read again.
func (p *page) reserve() int {
	if p.leftOut() > 0 {
		return cursorCharacters
	}
	return 0
}

// shortenFirst cuts the first row, which is too large by itself: its longest values to one length. Of a row with very
// many fields the last ones are left out and named.
func (p *page) shortenFirst(encoded []json.RawMessage) {
	row := *p.rows[0]
	row.fields, p.dropped = leading(row.fields, shortenedCharacters)
	if p.dropped != nil {
		row.replaceFields(row.fields)
		encoded = slices.Clone(encoded)
		encoded[0] = row.members.Encode()
	}
	var lengths []int
	free := shortenedCharacters
	for _, member := range append(slices.Clone(row.members.Without("data")), row.fields...) {
		lengths = append(lengths, rawLength(member.Value))
		free -= Length(member.Name) + 4
	}
	for shown := Ceiling(lengths, max(0, free)); ; shown = shown * 3 / 4 {
		p.encoded, p.cuts = slices.Clone(encoded), make([][]cut, len(encoded))
		p.encoded[0], p.cuts[0] = row.clipped(encoded[0], shown, shown)
		if p.fitted = p.structured(); shown == 0 || isWithin(p.fitted, ChannelCharacters-p.reserve()) {
			return
		}
	}
}

// leading are the first fields, as many as may be shown by a beginning at least within so many characters, and the
// names of the others.
func leading(fields rawjson.Object, characters int) (rawjson.Object, []string) {
	for i, field := range fields {
		least := min(rawLength(field.Value), len(cutMark(0, 0, ""))+20)
		if characters -= Length(field.Name) + 4 + least; characters < 0 {
			return fields[:i:i], fields[i:].Names()
		}
	}
	return fields, nil
}

// clipped is the row with the beginnings of its values that have more than so many characters.
func (r *row) clipped(encoded json.RawMessage, above, shown int) (json.RawMessage, []cut) {
	var cuts []cut
	clip := func(member rawjson.Member, isField bool) rawjson.Member {
		if value, cut, ok := r.clipValue(member, isField, above, shown); ok {
			member.Value = value
			cuts = append(cuts, cut)
		}
		return member
	}
	members := make(rawjson.Object, 0, len(r.members))
	for _, member := range r.members {
		switch {
		case member.Name == "data" && !r.flat:
			fields := make(rawjson.Object, 0, len(r.fields))
			for _, field := range r.fields {
				fields = append(fields, clip(field, true))
			}
			member.Value = fields.Encode()
		case slices.Contains(identityNames, member.Name):
		default:
			member = clip(member, r.flat && !slices.Contains(envelopeNames, member.Name))
		}
		members = append(members, member)
	}
	if cuts == nil {
		return encoded, nil
	}
	return members.Encode(), cuts
}

// identityNames are the members that name a row. They are never cut.
var identityNames = []string{"id", "record_id", "record_key", "stream", "connection_id"}

// clipValue is the beginning of a long value as a text that ends in how much of it is shown (R-BUD-6), unless that
// would not be shorter. What is no text is shown as the beginning of its JSON; binary is named and sized (R-QRY-3).
func (r *row) clipValue(member rawjson.Member, isField bool, above, shown int) (json.RawMessage, cut, bool) {
	if len(member.Value) <= above {
		return nil, cut{}, false
	}
	text, isText := rawjson.Text(member.Value)
	if !isText {
		text = string(member.Value)
	}
	whole := utf8.RuneCountInString(text)
	if whole <= above {
		return nil, cut{}, false
	}
	beginning, label := firstRunes(text, shown), ""
	if isText {
		if label = describeBinary(text); label != "" {
			beginning = ""
		}
	}
	c := cut{handle: r.handle, name: member.Name, shown: utf8.RuneCountInString(beginning), whole: whole}
	value := rawjson.Quote(beginning + cutMark(c.shown, whole, label))
	if len(value) >= len(member.Value) {
		return nil, cut{}, false
	}
	switch {
	case isField && isText && r.canRead(member.Name):
		c.next = []Call{r.readField(member.Name, rawjson.Int(tool.FieldOffsetChars, int64(c.shown)))}
	case isField && r.canFetch() && passable([]string{member.Name}) != nil:
		c.next = []Call{r.fetchFields(member.Name)}
	case member.Name == expandedName && r.canFetch():
		c.next = []Call{r.fetchExpanded()}
	}
	return value, c, true
}

// cutMark stands at the end of what is shown of a value.
func cutMark(shown, whole int, label string) string {
	return fmt.Sprintf("%s…[%d of %d characters shown]", label, shown, whole)
}

// firstRunes is the beginning of a text, at most so many code points.
func firstRunes(text string, count int) string {
	for at := range text {
		if count--; count < 0 {
			return text[:at]
		}
	}
	return text
}

// cutMembers list what was cut in the rows that are shown, each with the call that reads on.
func (p *page) cutMembers() rawjson.Object {
	var members rawjson.Object
	var encoded []json.RawMessage
	var names []string
	free := ChannelCharacters
	if p.shown == 1 {
		free = cutsCharacters
	}
	for _, cuts := range p.cuts[:min(p.shown, len(p.cuts))] {
		for _, cut := range cuts {
			if !slices.Contains(names, cut.name) {
				names = append(names, cut.name)
			}
			value := cut.encode()
			if free -= len(value); free >= 0 {
				encoded = append(encoded, value)
			}
		}
	}
	if names != nil {
		members = append(members, rawjson.Strings("fields_clipped", shownNames(names)), rawjson.Raw("clipped", rawjson.Array(encoded)))
	}
	if p.dropped != nil {
		members = append(members, rawjson.Strings("fields_left_out", shownNames(p.dropped)))
		if call, ok := p.fetchDropped(); ok {
			members = append(members, rawjson.Raw("fields_left_out_next", call.Structured()))
		}
	}
	return members
}

// cutLines say the same of fields that are left out. A text shows the beginning of values anyway, each with its call.
func (p *page) cutLines() []string {
	if p.dropped == nil {
		return nil
	}
	lines := []string{fmt.Sprintf("fields_left_out=%s: %d fields of the record do not fit into one result.",
		Visible(rawjson.Strings("", shownNames(p.dropped)).Value), len(p.dropped))}
	return lines
}

// fetchDropped reads the first of the fields that are left out.
func (p *page) fetchDropped() (Call, bool) {
	row := p.rows[0]
	names := passable(p.dropped)
	return row.fetchFields(names...), names != nil && row.canFetch()
}

func shownNames(names []string) []string {
	shown := make([]string, 0, shortenedNames)
	for _, name := range names[:min(len(names), shortenedNames)] {
		shown = append(shown, Clip(name, labelCharacters))
	}
	return shown
}

// clipQuoted is the beginning of a text as a JSON string of at most so many characters, quotes and
// escapes counted.
func clipQuoted(text string, characters int) json.RawMessage {
	low, high := 0, min(Length(text), max(0, characters))
	for low < high {
		middle := (low + high + 1) / 2
		if rawLength(rawjson.Quote(Clip(text, middle))) <= characters {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return rawjson.Quote(Clip(text, low))
}
