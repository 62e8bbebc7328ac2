package scan

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Limits of the values of a row in a timeline (R-TIME-2).
const (
	rowCharacters = 200 // of all values
	detailFields  = 3
)

// shownRoles are the roles whose fields a row shows first.
var shownRoles = []tool.Role{tool.TitleRole, tool.AuthorRole, tool.ContainerRole, tool.AmountRole, tool.CurrencyRole, tool.TextRole}

// fieldSet is the fields of a stream that every row of a timeline shows (R-CLAIM-5).
type fieldSet struct {
	shown   []string
	leftOut []string // the other granted fields, without the id and the time of a row
}

// newFieldSet returns the fields of a stream that change what a record is, those with another role, and up to
// detailFields more: details, or the first ones of a stream without any of these. The names decide and not the values,
// so that all pages show the same.
func newFieldSet(names []string, timeField string) fieldSet {
	names = slices.DeleteFunc(names, func(name string) bool { return name == wire.ID || name == timeField })
	set := fieldSet{}
	isFree := func(name string) bool { return slices.Contains(names, name) && !slices.Contains(set.shown, name) }
	add := func(role tool.Role, most int) {
		for _, name := range role.Fields {
			if most > 0 && isFree(name) {
				set.shown = append(set.shown, name)
				most--
			}
		}
	}
	add(tool.StateRole, len(names))
	for _, role := range shownRoles {
		add(role, 1)
	}
	add(tool.DetailRole, detailFields)
	if len(set.shown) == 0 {
		add(tool.Role{Fields: names}, detailFields)
	}
	set.leftOut = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(set.shown, name) })
	return set
}

func namesOf(records []record) (names []string) {
	for _, record := range records {
		for _, field := range record.object() {
			if !slices.Contains(names, field.Name) {
				names = append(names, field.Name)
			}
		}
	}
	return names
}

// of returns the fields of the set, null if the record has none. Long values are clipped to one length, so that all
// have at most rowCharacters; a nested one is then clipped as JSON. The result shares no memory with the record.
func (s fieldSet) of(fields rawjson.Object) rawjson.Object {
	shown := make(rawjson.Object, len(s.shown))
	texts, lengths := make([]string, len(s.shown)), make([]int, len(s.shown))
	for i, name := range s.shown {
		shown[i] = rawjson.Raw(name, fields.Get(name))
		if shown[i].Value == nil {
			shown[i].Value = rawjson.Value("null")
		}
		text, isText := rawjson.Text(shown[i].Value)
		if !isText {
			text = string(shown[i].Value)
		}
		texts[i], lengths[i] = text, utf8.RuneCountInString(text)
	}
	longest := shareOf(rowCharacters, lengths)
	for i, text := range texts {
		if lengths[i] > longest {
			kept := tool.Clip(text, longest)
			marked := fmt.Sprintf("%s…[%d of %d characters shown]", kept, utf8.RuneCountInString(kept), lengths[i])
			shown[i].Value = rawjson.Quote(marked)
		}
	}
	return detached(shown)
}

// shareOf returns the largest length to which all lengths can be cut so that their sum is at most room.
func shareOf(room int, lengths []int) int {
	sorted := slices.Sorted(slices.Values(lengths))
	for i, length := range sorted {
		if share := room / (len(sorted) - i); length > share {
			return share
		}
		room -= length
	}
	return rowCharacters
}

// detached returns a copy of an object with its own memory. A row does not keep its page in memory.
func detached(object rawjson.Object) rawjson.Object {
	size := 0
	for _, member := range object {
		size += len(member.Value)
	}
	room := make([]byte, 0, size)
	for i, member := range object {
		start := len(room)
		room = append(room, member.Value...)
		object[i].Value = room[start:len(room):len(room)]
	}
	return object
}

// fieldSet returns the fields that the rows of a stream show, whichever connection they are of. The records decide only
// if the schema lists no fields of the stream.
func (t *timeline) fieldSet(stream, timeField string, records []record) fieldSet {
	t.mu.Lock()
	defer t.mu.Unlock()
	set, isKnown := t.fieldSets[stream]
	if !isKnown {
		names := t.grantedFields(stream)
		if names == nil {
			names = namesOf(records)
		}
		set = newFieldSet(names, timeField)
		t.fieldSets[stream] = set
	}
	return set
}

// grantedFields returns the granted fields that the schema lists of a stream, of any connection.
func (t *timeline) grantedFields(stream string) (names []string) {
	for _, row := range t.document.Rows() {
		for _, field := range row.Fields() {
			if row.Name == stream && !field.Has("g=false") && !slices.Contains(names, field.Name) {
				names = append(names, field.Name)
			}
		}
	}
	return names
}

// fieldsLeftOut returns a member with the names of the fields that the rows do not show, by stream (R-CLAIM-5).
func (t *timeline) fieldsLeftOut(rows []answer.Record) rawjson.Object {
	var streams rawjson.Object
	for _, row := range rows {
		stream := row.Members.Text(wire.Stream)
		if left := t.fieldSets[stream].leftOut; len(left) > 0 && streams.Get(stream) == nil {
			streams = append(streams, rawjson.Strings(stream, left))
		}
	}
	if streams == nil {
		return nil
	}
	return rawjson.Object{rawjson.Raw(tool.FieldsLeftOut, streams.Encode())}
}
