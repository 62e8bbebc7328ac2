package render

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of a document, in characters as Length counts them in the JSON. A document within them is
// shown in full (R-FETCH-4); the whole never passes ChannelCharacters.
const (
	DocumentTextCharacters     = 28_000
	DocumentExpandedCharacters = 6_000
)

// Document renders one record as the object of id, title, text, url and metadata that clients of
// fetch expect (R-FETCH-1). Text and structured output are the same bytes.
func Document(_ context.Context, env tool.Env, response *rs.Response, input DocumentInput) (*tool.Result, error) {
	body, err := response.Object()
	if err != nil {
		return nil, err
	}
	target := input.Target
	record, ok := newRow(unwrapped(body).Encode(), deref(target.ConnectionID), target.Stream)
	if !ok || len(record.members) == 0 || record.members.Get("error") != nil {
		return nil, response.Unusable("the resource server's answer is not a record", "")
	}
	known := targetIdentity(target)
	known.connectionID = cmp.Or(known.connectionID, record.connectionID)
	record.identity = known
	if input.Fields != nil {
		record.fields = projected(record.fields, input.Fields)
		if !expands(response) {
			record.members = record.members.Without(expandedName)
		}
	}
	d := &document{row: record, id: cmp.Or(target.Handle, known.handle), provider: env.RS.ProviderURL()}
	encoded := d.encode()
	return within(response, &tool.Result{Text: string(encoded), Structured: encoded}, ChannelCharacters)
}

// unwrapped is the record inside one more data object, as older servers send it; else the body.
func unwrapped(body rawjson.Object) rawjson.Object {
	inner, ok := rawjson.ParseObject(body.Get("data"))
	if ok && body.Get("stream") == nil && rawjson.Kind(inner.Get("data")) == rawjson.ObjectValue {
		return inner
	}
	return body
}

// document is one record as fetch shows it.
type document struct {
	*row
	id       string
	provider string
}

// encode writes the document. What is not the text is known first, and the text gets the rest.
func (d *document) encode() json.RawMessage {
	expanded, cut := d.expanded()
	body := newDocumentText(d.fields)
	body.fit(DocumentTextCharacters)
	encoded := d.assemble(body, expanded, cut)
	if over := rawLength(encoded) - ChannelCharacters; over > 0 { // long handles in many continuations
		body.fit(max(0, body.length()-over))
		encoded = d.assemble(body, expanded, cut)
	}
	return encoded
}

func (d *document) assemble(body *documentText, expanded json.RawMessage, cut cutRelations) json.RawMessage {
	return rawjson.Object{
		rawjson.String("id", d.id),
		rawjson.String("title", title(titled(d.members), d.fields, d.identity, d.label(), nil)),
		rawjson.String("text", body.String()),
		rawjson.String("url", recordURL(nil, d.fields, d.identity, d.provider)),
		rawjson.Raw("metadata", d.metadata(body, expanded, cut)),
	}.Encode()
}

// titled is what of the wrapper may stand in a title: the time of ingestion, no source field.
func titled(members rawjson.Object) rawjson.Object {
	kept := rawjson.Object{}
	for _, member := range members {
		if slices.Contains([]string{"emitted_at", "authored_at"}, member.Name) {
			kept = append(kept, member)
		}
	}
	return kept
}

func (d *document) label() string {
	return Clip(d.members.Text("display_name"), labelCharacters)
}

// metadata is the source identity, which no projection takes away (R-FETCH-3), the times, what was
// expanded, and how to go on when something was clipped.
func (d *document) metadata(body *documentText, expanded json.RawMessage, cut cutRelations) json.RawMessage {
	metadata := rawjson.Object{}
	for _, member := range []struct{ name, value string }{
		{"connection_id", d.connectionID},
		{"connector_key", Clip(schemadoc.ConnectorKey(d.members), labelCharacters)},
		{"stream", d.stream},
		{"record_id", d.recordID},
		{"display_name", d.label()},
	} {
		if member.value != "" {
			metadata = append(metadata, rawjson.String(member.name, member.value))
		}
	}
	for _, name := range []string{"emitted_at", "authored_at", "deleted", "deleted_at", "record_json_bytes"} {
		if value := d.members.Get(name); value != nil && len(value) <= labelCharacters {
			metadata = append(metadata, rawjson.Raw(name, value))
		}
	}
	if warnings := sentWarnings(d.members); warnings != nil {
		metadata = append(metadata, rawjson.Raw("warnings", warnings))
	}
	if expanded != nil {
		metadata = append(metadata, rawjson.Raw("expanded", expanded))
	}
	return append(metadata, d.continuation(body, cut)...).Encode()
}

// continuation says what was clipped and carries the calls that go on (R-FETCH-4, R-HAND-7).
func (d *document) continuation(body *documentText, cut cutRelations) rawjson.Object {
	if len(body.clipped)+len(body.narrowed)+len(body.left)+len(cut.names) == 0 {
		return nil
	}
	said := rawjson.Object{rawjson.Bool("clipped", true)}
	if len(body.clipped) > 0 {
		said = append(said, rawjson.Strings("clipped_fields", firstNames(body.clipped)))
	}
	if len(body.narrowed) > 0 {
		said = append(said, rawjson.Strings("narrowed_fields", firstNames(body.narrowed)))
	}
	if len(body.narrowed) > 0 && body.alone {
		said = append(said, rawjson.String("note", "The rest of this value cannot be shown: only text fields can be read in windows."))
	}
	if len(body.left) > 0 {
		said = append(said, rawjson.Int("fields_left_out", int64(len(body.left))))
	}
	if len(cut.names) > 0 {
		said = append(said, rawjson.Strings("expanded_cut", firstNames(cut.names)))
	}
	return append(said, rawjson.Raw("next", Calls(d.calls(body, cut))))
}

// calls read on in what was clipped: a text window by window, other values and relations by themselves.
func (d *document) calls(body *documentText, cut cutRelations) []Call {
	var calls []Call
	for _, name := range firstNames(body.clipped) {
		if d.canRead(name) {
			calls = append(calls, d.readField(name))
		}
	}
	if !d.canFetch() {
		return calls
	}
	if !body.alone {
		for _, name := range passable(body.narrowed) {
			calls = append(calls, d.fetchFields(name))
		}
	}
	if left := passable(body.left); left != nil {
		calls = append(calls, d.fetchFields(left...))
	}
	for _, record := range cut.records[:min(len(cut.records), namesShown)] {
		calls = append(calls, record.fetch())
	}
	if relations := passable(cut.names); relations != nil && cut.records == nil {
		calls = append(calls, d.fewerExpanded(relations))
	}
	return calls
}

// fewerExpanded reads a part of what did not fit among the expanded relations.
func (d *document) fewerExpanded(relations []string) Call {
	limits := rawjson.Object{}
	for _, relation := range relations {
		limits = append(limits, rawjson.Int(relation, 1))
	}
	return d.fetch(rawjson.Strings(tool.DocumentExpand, relations), rawjson.Raw(tool.DocumentExpandLimit, limits.Encode()))
}

const namesShown = 8 // clipped fields of a document with a continuation of their own

func firstNames(names []string) []string {
	shown := make([]string, 0, namesShown)
	for _, name := range names {
		if len(shown) < namesShown && Length(name) <= labelCharacters {
			shown = append(shown, name)
		}
	}
	return shown
}
