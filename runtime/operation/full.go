package operation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// bulky are the members of a full row, the least telling first, that give way when the row does not fit
// into one result. What they say stands in the JSON Schema and in the flags as well. The last one gives
// way to its flags.
var bulky = []string{"freshness", "query", "views", "relationships", capabilitiesName}

const capabilitiesName = "field_capabilities"

// fullPortion is how much of an exhaustive row is shown.
type fullPortion struct {
	portion
	dropped []string // of bulky
	schema  int      // bytes of one field's JSON Schema; a larger one is left out

	verbatim bool // a member of the row that is not bulky stays whatever its size
}

// schemaSizes are tried in turn once the bulky members are gone.
var schemaSizes = []int{8_000, 2_000, 500}

// fullView is the exhaustive schema of the rows, which are one source's (R-SCH-7).
type fullView struct{ *detail }

// renderFull bounds the exhaustive schema to one result: members that say again what others say give way
// first, then the largest schemas, then the last fields. Both channels tell.
func renderFull(response *rs.Response, d *schemadoc.Document, input SchemaInput) (*tool.Result, error) {
	view := fullView{newDetail(response, d, input)}
	for _, shown := range view.portions() {
		if result := view.result(shown); result != nil {
			return result, nil
		}
	}
	for i, size := range schemaSizes {
		shown := fullPortion{portion: view.leastPortion(), dropped: bulky, schema: size}
		shown.fields = most(view.widest, func(count int) bool { shown.fields = count; return view.result(shown) != nil })
		if shown.fields >= min(view.widest, fieldsWanted) || i == len(schemaSizes)-1 {
			if result := view.result(shown); result != nil {
				return result, nil
			}
		}
	}
	return nil, response.Unusable("the full schema does not fit into one result", "call "+tool.SchemaTool+" with stream and without detail")
}

// portions hold every field: with all members, then with fewer of them.
func (v fullView) portions() []fullPortion {
	whole := shrinking[0]
	whole.rows, whole.fields = len(v.rows), v.widest
	var portions []fullPortion
	for dropped := range len(bulky) + 1 {
		portions = append(portions, fullPortion{portion: whole, dropped: bulky[:dropped], schema: render.ChannelCharacters, verbatim: true})
	}
	return portions
}

func (v fullView) leastPortion() portion {
	return portion{rows: min(len(v.rows), 20), connections: 5, label: 40, relations: 10}
}

// result is the result of an portion, or nil when it is too large.
func (v fullView) result(shown fullPortion) *tool.Result {
	calls := v.fullCalls(shown)
	text := v.fullText(shown, calls)
	if text.full() {
		return nil
	}
	structured := v.fullStructured(shown, calls)
	if structured == nil || render.Length(string(structured)) > render.ChannelCharacters {
		return nil
	}
	return &tool.Result{Text: text.String(), Structured: structured}
}

// fullCalls lead to the compact view when something is left out: it has every field's flags.
func (v fullView) fullCalls(shown fullPortion) []render.Call {
	calls := v.calls(shown.portion)
	if len(shown.dropped) > 0 && len(calls) == 0 {
		calls = append(calls, schemaCall(v.rows[0].arguments(v.input)...))
	}
	return calls
}

// fullText is the rows as schema(stream) shows them, with the raw JSON Schema beside each field.
func (v fullView) fullText(shown fullPortion, calls []render.Call) *boundedText {
	t := &boundedText{}
	if len(shown.dropped) > 0 {
		t.add(fmt.Sprintf("members_left_out=%s: the full row does not fit into one result", render.Visible(rawjson.Strings("", shown.dropped).Value)))
	}
	for _, r := range v.rows[:min(len(v.rows), shown.rows)] {
		schemas := map[string]string{}
		for _, property := range schemadoc.Properties(r.members) {
			schemas[property.Name] = render.Visible(property.Value)
			if len(property.Value) > shown.schema {
				schemas[property.Name] = fmt.Sprintf("(left out: %d bytes)", len(property.Value))
			}
		}
		likeless := *r
		likeless.like = nil // the schemas may differ where the flags do not
		if likeless.addLines(t, shown.portion, schemas); t.full() {
			return t
		}
	}
	v.addTail(t, shown.portion, calls)
	return t
}

// schemaLine is what the JSON Schema says beside its properties.
func (r *row) schemaLine(properties int) string {
	schema, ok := rawjson.ParseObject(r.members.Get("schema"))
	if !ok || properties == 0 {
		return "not advertised"
	}
	rest := schema.Without("properties").Encode()
	if len(rest) > memberBytes {
		return fmt.Sprintf("of %d fields, below; its other members take %d bytes and are left out", properties, len(rest))
	}
	return fmt.Sprintf("of %d fields, below; beside them %s", properties, render.Visible(rest))
}

// fullStructured is the exhaustive document, each field's JSON Schema once. It is nil when it is
// much too large.
func (v fullView) fullStructured(shown fullPortion, calls []render.Call) json.RawMessage {
	data := v.envelope(shown.portion, func(r *row) rawjson.Value { return r.full(shown) })
	if data == nil {
		return nil
	}
	flags := slices.Contains(shown.dropped, capabilitiesName)
	members := rawjson.Object{rawjson.Raw("data", data.Encode()), rawjson.Raw("legend", v.legend(shown.portion, flags))}
	if len(shown.dropped) > 0 {
		members = append(members, rawjson.Strings("members_left_out", shown.dropped))
	}
	return render.Structured(v.response, members, calls)
}

// full writes an exhaustive row, or nothing when it is much too large.
func (r *row) full(shown fullPortion) rawjson.Value {
	properties := schemadoc.Properties(r.members)
	members := rawjson.Object{}
	for _, member := range r.members.Without("instance_ids", "granted_connections", "connection_id", "connector_instance_id") {
		if len(member.Value) > 6*render.ChannelCharacters && shown.verbatim && !slices.Contains(shown.dropped, member.Name) {
			return nil // too large, even if half of it stands elsewhere as well
		}
		switch {
		case member.Name == capabilitiesName && slices.Contains(shown.dropped, capabilitiesName):
			members = append(members, rawjson.Raw(member.Name, encodeFields(r.fields[:min(len(r.fields), shown.fields)])))
		case slices.Contains(shown.dropped, member.Name):
		case member.Name == capabilitiesName:
			members = append(members, rawjson.Raw(member.Name, capabilitiesOnce(member.Value, properties)))
		case member.Name == "schema":
			members = append(members, rawjson.Raw(member.Name, schemaWithin(member.Value, properties, shown)))
		case member.Name == "expand_capabilities" && !shown.verbatim:
			members = r.appendRelations(members, shown.portion)
		case shown.verbatim || len(member.Value) <= memberBytes:
			members = append(members, member)
		}
	}
	members = appendLeftOut(members, "fields_left_out", r.leftOut(shown.fields))
	return appendConnections(members, r.stream.Connections, shown.connections, shown.brief).Encode()
}

// capabilitiesOnce takes the JSON Schemas out of the capabilities that stand in properties as well.
func capabilitiesOnce(value rawjson.Value, properties rawjson.Object) rawjson.Value {
	sent, ok := rawjson.ParseObject(value)
	if !ok {
		return value
	}
	schemas := map[string]rawjson.Value{}
	for _, property := range properties {
		schemas[property.Name] = property.Value
	}
	for i, capability := range sent {
		own, isObject := rawjson.ParseObject(capability.Value)
		if schema := own.Get("schema"); isObject && schema != nil && bytes.Equal(schema, schemas[capability.Name]) {
			sent[i].Value = own.Without("schema").Encode()
		}
	}
	return sent.Encode()
}

// schemaWithin keeps the first properties, without those that are too large, and counts the rest.
func schemaWithin(value rawjson.Value, properties rawjson.Object, shown fullPortion) rawjson.Value {
	schema, ok := rawjson.ParseObject(value)
	if !ok {
		return value
	}
	kept := slices.DeleteFunc(slices.Clone(properties[:min(len(properties), shown.fields)]), func(m rawjson.Member) bool {
		return len(m.Value) > shown.schema
	})
	left := len(properties) - len(kept)
	if left == 0 && shown.verbatim {
		return schema.Encode()
	}
	rest := rawjson.Object{}
	for _, member := range schema {
		if member.Name != "properties" && len(member.Value) <= memberBytes {
			rest = append(rest, member)
		}
	}
	rest = append(rest, rawjson.Raw("properties", kept.Encode()))
	return appendLeftOut(rest, "properties_left_out", left).Encode()
}
