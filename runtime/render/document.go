package render

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Document renders one record with the members that clients of fetch expect, the same bytes in both channels (R-FETCH-1). A document longer
// than ChannelCharacters has its longest values clipped to one length (R-FETCH-4).
func Document(ctx context.Context, env tool.Env, response *rs.Response, input DocumentInput) (*tool.Result, error) {
	record, err := recordOf(response, input.Target.ConnectionID, input.Target.Stream)
	if err != nil {
		return nil, err
	}
	if len(record.members) == 0 || record.members.Get("error") != nil {
		return nil, response.Unusable("the resource server's answer is not a record", "")
	}
	known := targetIdentity(input.Target)
	known.connectionID = cmp.Or(known.connectionID, record.connectionID)
	record.identity = known
	if input.Fields != nil {
		record.project(input.Fields, isExpanding(response))
	}
	d := &document{
		row: record, id: cmp.Or(input.Target.Handle, known.handle), provider: cmp.Or(response.ProviderURL, env.RS.ProviderURL()),
		label: tool.Clip(record.members.Text("display_name"), tool.LabelCharacters),
	}
	d.title = documentTitle(ctx, env, record, d.label)
	encoded := d.encode(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return withinBounds(response, &tool.Result{Text: string(encoded), Structured: encoded, Rows: 1}, ChannelCharacters)
}

// recordOf returns the record of an answer. Older servers wrap it in one more data object.
func recordOf(response *rs.Response, connectionID *string, stream string) (*row, error) {
	body, err := response.Object()
	if err != nil {
		return nil, err
	}
	inner, ok := rawjson.ParseObject(body.Get("data"))
	if ok && body.Get("stream") == nil && rawjson.Kind(inner.Get("data")) == rawjson.ObjectValue {
		body = inner
	}
	record, _ := newRow(body.Encode(), deref(connectionID), stream)
	return record, nil
}

type document struct {
	*row
	id       string
	title    string
	label    string
	provider string
}

// encode stops to look for the longest texts that fit when the context ends.
func (d *document) encode(ctx context.Context) json.RawMessage {
	fits := func(keep int) bool {
		return ctx.Err() == nil && Length(d.assemble(clipLimit{keep, keep})) <= ChannelCharacters
	}
	if whole := d.assemble(unclipped); Length(whole) <= ChannelCharacters {
		return whole
	}
	if !fits(0) {
		d.narrow(ChannelCharacters - 2*readOnCharacters)
	}
	keep := Largest(0, ChannelCharacters, fits)
	return d.assemble(clipLimit{keep, keep})
}

func (d *document) assemble(limit clipLimit) json.RawMessage {
	shown := d.show(limit)
	return rawjson.Object{
		rawjson.String("id", d.id),
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

// metadata returns the source identity, which no projection removes (R-FETCH-3), the times, the expanded relations, and how to continue.
func (d *document) metadata(shown shownRow) json.RawMessage {
	metadata := rawjson.Texts("connection_id", d.connectionID, "connector_key", tool.Clip(schemadoc.ConnectorKey(d.members), tool.LabelCharacters),
		"stream", d.stream, "record_id", d.recordID, "display_name", d.label)
	for _, name := range []string{"emitted_at", "authored_at", "deleted", "deleted_at"} {
		if value := d.members.Get(name); value != nil && len(value) <= tool.LabelCharacters {
			metadata = append(metadata, rawjson.Raw(name, value))
		}
	}
	metadata = slices.Concat(withWarnings(metadata, d.members), structuredReferences(shown.references), shown.after)
	calls := shown.calls
	if len(d.fields) == 1 && len(calls) == 1 && calls[0].Tool == tool.DocumentTool && shown.cuts == 1 { // the call would return the same
		metadata = append(metadata, rawjson.String("note", "The rest of this value cannot be shown: only text fields can be read in windows."))
		calls = nil
	}
	metadata = withCalls(metadata, "next", calls) // R-FETCH-4, R-HAND-7
	if !d.isProjected && d.members.Get("deleted") == nil {
		metadata = append(metadata, d.conversationCalls(d.fields)...)
	}
	return metadata.Encode()
}
