package render

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// wrapperNames are the members of a record's wrapper. In a flat record every other member is a field of the source.
var wrapperNames = []string{
	"object", wire.ID, wire.RecordID, "record_key", wire.Stream, "data", wire.ConnectionID, "connector_instance_id", "connector_key",
	"connector_id", "display_name", "emitted_at", "authored_at", "deleted", "deleted_at", expandedName, "links",
	"meta", "record_json_bytes", "url", "record_url", "record_uri",
}

// keptNames are the members that stay in a projected record (R-QRY-1). The tool reference lists them under the word
// records.
var keptNames = []string{wire.ID, wire.Stream, wire.ConnectionID, "connector_key", "display_name", "deleted", "deleted_at"}

// labelNames are the members of a wrapper that describe its connection.
var labelNames = []string{"connector_key", "connector_id", "display_name"}

// omittedNames are not shown: REST routes, a deprecated alias of connection_id, links, and the kind of the object
// (R-BUD-7).
var omittedNames = []string{"object", "connector_instance_id", "links", "url", "record_url", "record_uri"}

const expandedName = "expanded"

type row struct {
	identity
	members     rawjson.Object // of the wrapper; in a flat record also the fields
	fields      rawjson.Object // of the source
	hasData     bool           // false for a tombstone (R-QRY-4)
	isFlat      bool           // the fields are next to the members of the wrapper
	isProjected bool           // to keptNames and the requested fields
	related     []relation
	leftOut     []string // names of fields that are not shown because there are too many
}

// newRow parses a record, or returns false. The connection and the stream of the call apply if the row does not name
// them.
func newRow(value json.RawMessage, connectionID, stream string) (*row, bool) {
	members, ok := rawjson.ParseObject(value)
	if !ok {
		return nil, false
	}
	data, _ := rawjson.ParseObject(members.Get("data"))
	return rowOf(members, data, connectionID, stream), true
}

// rowOf returns the row with these members. Its data is nil if it is not an object.
func rowOf(members, data rawjson.Object, connectionID, stream string) *row {
	r := new(row)
	r.read(members, data, connectionID, stream)
	return r
}

func (r *row) read(members, data rawjson.Object, connectionID, stream string) {
	r.members, r.fields, r.hasData = members, data, data != nil
	if !r.hasData {
		r.isFlat = true
		r.fields = members.Without(wrapperNames...)
		if openable(members.Text("url")) { // the source's own address, not the path of the answer
			r.fields = append(r.fields, rawjson.Raw("url", members.Get("url")))
		}
		r.hasData = len(r.fields) > 0
	}
	if sent := members.FirstText(wire.ConnectionID, "connector_instance_id"); sent != "" {
		connectionID = sent
	}
	if sent := members.Text(wire.Stream); sent != "" {
		stream = sent
	}
	r.identity = newIdentity(connectionID, stream, members.FirstText(wire.ID, wire.RecordID, "record_key"))
	expanded, _ := rawjson.ParseObject(members.Get(expandedName))
	for _, relation := range expanded {
		r.related = append(r.related, r.relation(relation))
	}
}

func (r *row) project(fields []string, isExpanding bool) {
	r.fields, r.isProjected = projected(r.fields, fields), true
	if !isExpanding {
		r.related = nil
	}
}

// projected keeps the named fields. A dotted name keeps the nested member that it names.
func projected(object rawjson.Object, fields []string) rawjson.Object {
	kept := rawjson.Object{}
	for _, member := range object {
		if slices.Contains(fields, member.Name) {
			kept = append(kept, member)
			continue
		}
		var nested []string
		for _, field := range fields {
			if rest, ok := strings.CutPrefix(field, member.Name+"."); ok {
				nested = append(nested, rest)
			}
		}
		if inner, ok := rawjson.ParseObject(member.Value); ok && nested != nil {
			kept = append(kept, rawjson.Raw(member.Name, projected(inner, nested).Encode()))
		}
	}
	return kept
}

func (r *row) isSent(member rawjson.Member) bool {
	switch {
	case slices.Contains(omittedNames, member.Name) || rawjson.Kind(member.Value) == rawjson.Null:
		return false
	case r.isProjected:
		return slices.Contains(keptNames, member.Name)
	case r.isFlat:
		return slices.Contains(wrapperNames, member.Name)
	}
	return true
}

func (r *row) text(shown shownRow) textRow {
	text := textRow{
		name:  "handle",
		lead:  r.handle,
		extra: append(r.textMembers(), shown.after...),
		calls: shown.calls,
	}
	if r.hasData {
		text.fields = shown.fields
	}
	return text
}

type shownRow struct {
	fields     rawjson.Object
	references []reference    // files, which the fields name and size
	after      rawjson.Object // members after the fields
	calls      []answer.Call
	cuts       int
}

func (r *row) show(limit clipLimit) shownRow {
	fields, references := nameFiles(r.fields)
	fields, converted := convertHTML(fields)
	fields, cuts := r.clip(fields, limit)
	for i, cut := range cuts {
		if slices.Contains(converted, cut.name) { // a window has the HTML, whose offsets are different
			cuts[i].shown = 0
		}
	}
	shown := shownRow{
		fields: fields, references: references, calls: append(r.readReferences(references), r.calls(cuts, limit)...), cuts: len(cuts),
	}
	if converted != nil {
		shown.after = append(shown.after, rawjson.Strings(convertedName, converted))
	}
	if cuts != nil { // a value that was sent could end like a clipped one
		names := make([]string, len(cuts))
		for i, cut := range cuts {
			names[i] = cut.name
		}
		shown.after = append(shown.after, rawjson.Strings("clipped", names))
	}
	if len(r.related) > 0 {
		expanded, cuts := r.expanded(limit)
		shown.after, shown.cuts = append(shown.after, expanded), shown.cuts+cuts
	}
	if r.leftOut != nil {
		shown.after = append(shown.after, rawjson.Int("fields_left_out", int64(len(r.leftOut))))
	}
	return shown
}

// appendObject appends the row in structured output, without members that are known. The references come after the
// fields.
func (r *row) appendObject(out []byte, known rawjson.Object, shown shownRow, references rawjson.Object) []byte {
	out = append(out, '{')
	if r.handle != "" {
		out = rawjson.AppendQuote(rawjson.AppendName(out, "handle"), r.handle)
	}
	for _, member := range r.members {
		if r.isSent(member) && member.Name != "data" && member.Name != expandedName && !r.isKnown(member, known) {
			out = append(rawjson.AppendName(out, member.Name), member.Value...)
		}
	}
	if r.hasData {
		out = shown.fields.Append(rawjson.AppendName(out, "data"))
	}
	out = shown.after.AppendMembers(references.AppendMembers(out))
	return append(withCalls(nil, "next", shown.calls).AppendMembers(out), '}')
}

// isKnown reports whether the known members have a member, with the same value if they have one. A connection is known
// if the handle begins with it.
func (r *row) isKnown(member rawjson.Member, known rawjson.Object) bool {
	if member.Name == wire.ConnectionID && !strings.HasPrefix(r.handle, r.connectionID+"/") {
		return false
	}
	return slices.ContainsFunc(known, func(each rawjson.Member) bool {
		return each.Name == member.Name && (each.Value == nil || bytes.Equal(each.Value, member.Value))
	})
}

// textMembers returns the members of the wrapper that a text shows: those of a tombstone (R-QRY-4), and those that the
// handle does not contain.
func (r *row) textMembers() rawjson.Object {
	names := []string{"deleted", "deleted_at"}
	if r.handle == "" {
		names = append(names, wire.ID, wire.RecordID, "record_key", wire.Stream)
	}
	if !r.embedded {
		names = append(names, wire.ConnectionID)
	}
	var members rawjson.Object
	for _, name := range names {
		if value := r.members.Get(name); value != nil {
			members = append(members, rawjson.Raw(name, value))
		}
	}
	return members
}

func (r *row) calls(cuts []cut, limit clipLimit) []answer.Call {
	calls := r.readOn(cuts)
	if left := acceptedNames(r.leftOut); left != nil && r.canFetch() {
		calls = append(calls, r.fetch(rawjson.Strings(tool.DocumentFields, left)))
	}
	return append(calls, r.relatedCalls(limit)...)
}

func hasName(object rawjson.Object, name string) bool {
	return slices.ContainsFunc(object, func(member rawjson.Member) bool { return member.Name == name })
}

// PlainNote returns the limits of the grants that a page of rows reaches past (R-CLAIM-1), and why it has no row.
func PlainNote(page *answer.Rows) string {
	why := ""
	if len(page.Records) == 0 {
		_, _, why = describeReading(page.Reading, 0)
	}
	return words(why, LimitsNote(page.Limits))
}

// WholeRows returns the rows of a page without the bounds of a result. Each row has its wrapper and the requested
// fields.
func WholeRows(page *answer.Rows) []json.RawMessage {
	rows := make([]json.RawMessage, len(page.Records))
	for i, record := range page.Records {
		switch {
		case page.Fields != nil:
			row := rowOf(record.Members, record.Data, "", "")
			row.project(page.Fields, page.Expands)
			kept := rawjson.Object{}
			for _, member := range row.members {
				if slices.Contains(keptNames, member.Name) || member.Name == expandedName && row.related != nil {
					kept = append(kept, member)
				}
			}
			rows[i] = append(kept, rawjson.Raw("data", row.fields.Encode())).Encode()
		case record.Value == nil && record.Data != nil:
			rows[i] = record.Members.With("data", record.Data.Encode()).Encode()
		case record.Value == nil:
			rows[i] = record.Members.Encode()
		default:
			rows[i] = record.Value
		}
	}
	return rows
}

// PlainRows returns the rows of a page as objects without a wrapper: the handle, then the requested fields.
func PlainRows(page *answer.Rows) []json.RawMessage {
	rows := make([]json.RawMessage, len(page.Records))
	for i, record := range page.Records {
		row := rowOf(record.Members, record.Data, scalar.OrZero(page.ConnectionID), page.Stream)
		if page.Fields != nil {
			row.project(page.Fields, page.Expands)
		}
		rows[i] = row.plain()
	}
	return rows
}

// PlainGroups returns the groups of an aggregate as they were sent, or its number as one row.
func PlainGroups(found *answer.Groups) []json.RawMessage {
	if !found.IsGrouped {
		return []json.RawMessage{rawjson.Object{rawjson.Raw("value", orNull(found.Members.Get("value")))}.Encode()}
	}
	rows := make([]json.RawMessage, len(found.Groups))
	for i, group := range found.Groups {
		if rows[i] = json.RawMessage(group.Value); group.Value == nil {
			rows[i] = group.Members.Encode()
		}
	}
	return rows
}

// PlainRecord returns the record of a document in the form of PlainRows.
func PlainRecord(found *answer.Document) json.RawMessage {
	record := documentRow(found)
	record.handle = found.Target.Handle
	return record.plain()
}

func (r *row) plain() json.RawMessage {
	if happened := r.members.Get("time"); happened != nil && !r.isFlat && !r.isProjected { // a row of the timeline of all streams
		title, author, text := tool.TitleRole.Field(r.fields), tool.AuthorRole.Field(r.fields), tool.TextRole.Field(r.fields)
		amount := tool.AmountRole.Field(r.fields).Value
		if amount != nil && tool.CurrencyRole.Field(r.fields).Value != nil {
			amount = rawjson.String("", amountText(r.fields)).Value
		}
		return rawjson.Object{
			rawjson.String("handle", r.handle), rawjson.Raw("time", happened), rawjson.String(wire.Stream, r.stream),
			rawjson.Raw("title", orNull(title.Value)), rawjson.Raw("author", orNull(author.Value)), rawjson.Raw("text", orNull(text.Value)),
			rawjson.Raw("amount", orNull(amount)),
		}.Encode()
	}
	plain := rawjson.Object{rawjson.String("handle", r.handle)}
	for _, name := range []string{"deleted", "deleted_at", expandedName} {
		if value := r.members.Get(name); value != nil && (name != expandedName || !r.isProjected || r.related != nil) {
			plain = append(plain, rawjson.Raw(name, value))
		}
	}
	return append(plain, r.fields.Without("handle")...).Encode()
}

func orNull(value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage("null")
	}
	return value
}
