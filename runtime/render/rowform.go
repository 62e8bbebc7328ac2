package render

import (
	"encoding/json"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// A row has one form in each channel, whether it is a record, a child of one, a group or a hit. In structured output it is an
// object. In text it is the array of its values, on one line under a line that names the columns once (R-BUD-7):
//
//	columns: ["handle","subject","seen"]
//	["cin_1/messages:m1","Hello",true]
//
// A row that has other fields than most is an object there too. What a row has beside its fields follows it on a line of its
// own as an object, and then the calls that read on in it, each indented:
//
//	["cin_1/messages:m2","It begins so…[2000 of 60000 characters shown]",true]
//	  next: read_record_field {"id":"cin_1/messages:m2","field_path":"subject","offset_chars":2000,"limit_chars":16384}
//
// Every value is JSON, as it was sent, with what cannot be seen spelled as an escape: whoever reads the line as JSON has
// the same values as whoever reads structured output.

// columnsWord introduces the line of the columns.
const columnsWord = "columns: "

// indent begins a line that belongs to the row above it.
const indent = "\n  "

// columnsOf are the fields that most rows have, in their order.
func columnsOf(rows []rawjson.Object) rawjson.Object {
	var most rawjson.Object
	count := 0
	for _, fields := range rows { // the majority, if there is one, by the vote of Boyer and Moore
		switch {
		case len(fields) == 0:
		case count == 0:
			most, count = fields, 1
		case sameNames(fields, most):
			count++
		default:
			count--
		}
	}
	return most
}

func sameNames(a, b rawjson.Object) bool {
	return slices.EqualFunc(a, b, func(x, y rawjson.Member) bool { return x.Name == y.Name })
}

// columnsLine names the columns; it is empty without any. The lead is the column before the fields.
func columnsLine(columns rawjson.Object, lead string) string {
	if len(columns) == 0 {
		return ""
	}
	names := columns.Names()
	if lead != "" {
		names = append([]string{lead}, names...)
	}
	return columnsWord + rawjson.Visible(rawjson.Strings("", names).Value)
}

// line is a row of a text: its lead, which may be missing, its fields, what stands beside them, and its calls.
type line struct {
	lead   rawjson.Object
	fields rawjson.Object
	beside rawjson.Object
	calls  []Call
}

// append appends the row, without a line break before or after it.
func (l line) append(out []byte, columns rawjson.Object) []byte {
	start := len(out)
	if len(columns) > 0 && sameNames(l.fields, columns) {
		out = append(out, '[')
		for _, members := range [...]rawjson.Object{l.lead, l.fields} {
			for _, member := range members {
				out = append(append(out, member.Value...), ',')
			}
		}
		out[len(out)-1] = ']'
		if len(l.beside) > 0 {
			out = l.beside.Append(append(out, indent...))
		}
	} else {
		object := append(append(rawjson.Object{}, l.lead...), l.beside...)
		if l.fields != nil {
			object = append(object, rawjson.Raw("data", l.fields.Encode()))
		}
		out = object.Append(out)
	}
	if !rawjson.IsPrintableASCII(out[start:]) {
		out = l.visible(out, start)
	}
	for _, call := range l.calls {
		out = call.appendInvocation(append(out, indent+"next: "...))
	}
	return out
}

// visible spells what cannot be seen as escapes, save the line break before what stands beside the fields.
func (l line) visible(out []byte, start int) []byte {
	end := len(out)
	for at := start; at < end; at++ {
		if out[at] == '\n' { // no JSON without whitespace holds one
			beside := rawjson.Visible(out[at+len(indent):])
			return append(append(append(out[:start], rawjson.Visible(out[start:at])...), indent...), beside...)
		}
	}
	return append(out[:start], rawjson.Visible(out[start:end])...)
}

// write writes the row into both channels of a page: shared members are left out, and long values are shown up to the ceiling.
func (r *row) write(p *page, columns, shared rawjson.Object, most ceiling) {
	shown := r.shown(shared, most)
	p.cuts += shown.cuts
	p.structured = r.append(p.structured, shared, shown.withReferences())
	fields := shown.fields
	if !r.hasData {
		fields = nil
	}
	p.handle = rawjson.AppendQuote(p.handle[:0], r.handle)
	lead := rawjson.Object{rawjson.Raw("handle", p.handle)}
	beside := append(r.beside(shared), shown.after...)
	p.text = line{lead: lead, fields: fields, beside: beside, calls: shown.calls}.append(p.text, columns)
}

// shownRow is what both channels show of a row with a ceiling.
type shownRow struct {
	fields     rawjson.Object
	references []reference    // that the fields hold in short
	after      rawjson.Object // behind the fields
	calls      []Call
	cuts       int
}

func (r *row) shown(shared rawjson.Object, most ceiling) shownRow {
	fields, references := referring(r.fields)
	fields, cuts := r.clip(fields, most)
	shown := shownRow{
		fields: fields, references: references, calls: append(r.readReferences(references), r.calls(cuts, most)...), cuts: len(cuts),
	}
	var expanded json.RawMessage
	if len(r.related) > 0 {
		expanded, shown.cuts = r.appendRelated(nil, most, shown.cuts)
	}
	shown.after = r.after(expanded, cuts)
	return shown
}

// withReferences has the references behind the fields.
func (s shownRow) withReferences() shownRow {
	if s.references != nil {
		s.after = append(rawjson.Object{structuredReferences(s.references)}, s.after...)
	}
	return s
}

// append appends the row as structured output has it.
func (r *row) append(out []byte, shared rawjson.Object, shown shownRow) []byte {
	out = append(out, '{')
	if r.handle != "" {
		out = append(rawjson.AppendQuote(append(out, `"handle":`...), r.handle), ',')
	}
	for _, member := range r.members {
		if r.isSent(member) && member.Name != "data" && member.Name != expandedName && !shares(shared, member.Name) {
			out = append(member.Append(out), ',')
		}
	}
	if r.hasData {
		out = append(out, `"data":`...)
		if shown.cuts == 0 && shown.references == nil && r.data != nil && r.leftOut == nil {
			out = append(out, r.data...)
		} else {
			out = shown.fields.Append(out)
		}
		out = append(out, ',')
	}
	for _, member := range shown.after {
		out = append(member.Append(out), ',')
	}
	if len(shown.calls) > 0 {
		out = append(append(append(out, `"next":`...), Calls(shown.calls)...), ',')
	}
	if last := len(out) - 1; out[last] == ',' {
		out = out[:last]
	}
	return append(out, '}')
}

// beside is what a text says of a row before what both channels say: that it is a tombstone (R-QRY-4), and what its handle
// does not hold.
func (r *row) beside(shared rawjson.Object) rawjson.Object {
	var beside rawjson.Object
	names := []string{"deleted", "deleted_at"}
	if r.handle == "" {
		names = append(names, "id", "record_id", "record_key", "stream")
	}
	if !r.embedded {
		names = append(names, "connection_id")
	}
	for _, name := range names {
		if value := r.members.Get(name); value != nil && !shares(shared, name) {
			beside = append(beside, rawjson.Raw(name, value))
		}
	}
	return beside
}

// after is what both channels show behind the fields: the names of those that are clipped, whose values end in a mark that
// data could hold too.
func (r *row) after(expanded json.RawMessage, cuts []cut) rawjson.Object {
	var after rawjson.Object
	if cuts != nil {
		names := make([]string, len(cuts))
		for i, cut := range cuts {
			names[i] = cut.name
		}
		after = append(after, rawjson.Strings("clipped", names))
	}
	if expanded != nil {
		after = append(after, rawjson.Raw(expandedName, expanded))
	}
	if r.leftOut != nil {
		after = append(after, rawjson.Int("fields_left_out", int64(len(r.leftOut))))
	}
	return after
}

// calls read on in what of the row is not shown.
func (r *row) calls(cuts []cut, most ceiling) []Call {
	if cuts == nil && r.leftOut == nil && r.related == nil {
		return nil
	}
	calls := r.readOn(cuts)
	if left := passable(r.leftOut); left != nil && r.canFetch() {
		calls = append(calls, r.fetchFields(left...))
	}
	return append(calls, r.relatedCalls(most)...)
}

func shares(shared rawjson.Object, name string) bool {
	return slices.ContainsFunc(shared, func(member rawjson.Member) bool { return member.Name == name })
}
