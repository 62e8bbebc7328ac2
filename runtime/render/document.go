package render

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Document renders one record with the members that clients of fetch expect, the same JSON in both channels
// (R-FETCH-1). The text has invisible characters as escapes (R-TRUST-1). A document longer than ChannelCharacters has
// its longest values clipped to one length (R-FETCH-4).
func Document(found *answer.Document) (*tool.Result, error) {
	record := documentRow(found)
	d := &document{
		row: record, id: cmp.Or(found.Target.Handle, record.handle), provider: found.ProviderURL, warnings: found.Warnings,
		label: tool.Clip(record.members.Text("display_name"), tool.LabelCharacters),
	}
	d.title = documentTitle(record, d.label, TimeText(record.fields.Get(found.TimeField)))
	if record.offersCalls() {
		d.belonging = record.conversationCalls(found, record.fields)
	}
	encoded := d.encode()
	return bounded(found.Origin, &tool.Result{Text: rawjson.Visible(encoded), Structured: encoded, Rows: 1}, ChannelCharacters)
}

// documentRow returns the record of a document with its requested fields. Its handle is the one that was passed.
func documentRow(found *answer.Document) *row {
	data, _ := rawjson.ParseObject(found.Record.Get("data"))
	record := rowOf(found.Record, data, scalar.OrZero(found.Target.ConnectionID), found.Target.Stream)
	known := targetIdentity(found.Target)
	known.connectionID = cmp.Or(known.connectionID, record.connectionID)
	record.identity = known
	if found.Fields != nil {
		record.project(found.Fields, found.Expanded)
	}
	return record
}

// FieldsOf returns the fields of a record, which a wrapper may hold.
func FieldsOf(record rawjson.Object) rawjson.Object {
	data, _ := rawjson.ParseObject(record.Get("data"))
	return rowOf(record, data, "", "").fields
}

// NeedsLinks reports whether a document offers calls for what its record belongs to, or needs the time of the record in
// its title and does not have it.
func NeedsLinks(found *answer.Document) bool {
	record := documentRow(found)
	lacksTime := ownTitle(nil, record.fields, nil) == "" && record.documentTime() == ""
	return len(record.fields) > 0 && (record.offersCalls() || lacksTime)
}

// offersCalls reports whether the record is shown in full, so that it may lead to others.
func (r *row) offersCalls() bool { return !r.isProjected && r.members.Get("deleted") == nil }

type document struct {
	*row
	id       string
	title    string
	label    string
	provider string
	warnings []rawjson.Value

	belonging rawjson.Object // the calls for what the record belongs to
}

func (d *document) encode() json.RawMessage {
	fits := func(keep int) bool { return fitsVisibly(d.assemble(clipLimit{keep, keep})) }
	if whole := d.assemble(unclipped); fitsVisibly(whole) {
		return whole
	}
	if !fits(0) {
		d.narrow(ChannelCharacters - 2*readOnCharacters)
	}
	keep := Largest(0, ChannelCharacters, fits)
	return d.assemble(clipLimit{keep, keep})
}

// fitsVisibly reports whether a document fits the text, where invisible characters are escapes.
func fitsVisibly(document json.RawMessage) bool {
	const longest = len(`\u0000`) // of a byte in the text
	return longest*len(document) <= ChannelCharacters || Length(rawjson.Visible(document)) <= ChannelCharacters
}

func (d *document) assemble(limit clipLimit) json.RawMessage {
	shown := d.show(limit)
	return rawjson.Object{
		rawjson.String(wire.ID, d.id),
		rawjson.String("title", d.title),
		rawjson.String("text", documentText(shown.fields)),
		rawjson.String("url", recordURL(nil, d.fields, d.identity, d.provider)),
		rawjson.Raw("metadata", d.metadata(shown)),
	}.Encode()
}

// documentText returns a line name: value for each field, and a text of several lines below its name.
func documentText(fields rawjson.Object) string {
	lines := make([]string, len(fields))
	for i, field := range fields {
		name := field.Name
		if quoted := Quoted(name); quoted != `"`+name+`"` { // a line break in a name would start another line
			name = quoted
		}
		text, isText := rawjson.Text(field.Value)
		if !isText {
			text = string(field.Value)
		}
		separator := ": "
		if strings.Contains(text, "\n") {
			separator = ":\n"
		}
		lines[i] = name + separator + text
	}
	return strings.Join(lines, "\n")
}

// metadata returns the source identity, which no projection removes (R-FETCH-3), the times, the expanded relations, and
// how to continue.
func (d *document) metadata(shown shownRow) json.RawMessage {
	metadata := rawjson.Texts(wire.ConnectionID, d.connectionID, "connector_key", tool.Clip(schemadoc.ConnectorKey(d.members), tool.LabelCharacters),
		wire.Stream, d.stream, wire.RecordID, d.recordID, "display_name", d.label)
	for _, name := range []string{"emitted_at", "authored_at", "deleted", "deleted_at"} {
		if value := d.members.Get(name); value != nil && len(value) <= tool.LabelCharacters {
			metadata = append(metadata, rawjson.Raw(name, value))
		}
	}
	metadata = slices.Concat(withWarnings(metadata, d.warnings), structuredReferences(shown.references), shown.after)
	calls := shown.calls
	if len(d.fields) == 1 && len(calls) == 1 && calls[0].Tool == tool.DocumentTool && shown.cuts == 1 { // the call would return the same
		metadata = append(metadata, rawjson.String("note", "The rest of this value cannot be shown: only text fields can be read in windows."))
		calls = nil
	}
	metadata = withCalls(metadata, "next", calls) // R-FETCH-4, R-HAND-7
	return append(metadata, d.belonging...).Encode()
}
