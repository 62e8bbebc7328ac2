package operation

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// tool.LabelCharacters bounds a label, a flag list and the like.

// row is one stream of one connector, taken apart.
type row struct {
	connector *schemadoc.Connector
	stream    *schemadoc.Stream
	members   rawjson.Object // as the server sent them
	fields    []schemadoc.Field
	long      int                  // fields that are never shown, since their names pass handleMaximum
	like      *row                 // an earlier row whose fields and flags are the same, or nil
	relations []schemadoc.Relation // nil when the server sent no list of them
	hollow    bool                 // nothing is advertised of any field
	sample    *sample              // nil unless recent records were read because nothing is advertised

	// Of an exhaustive row.
	schemas    rawjson.Object // the JSON Schemas of the fields
	schemaOf   map[string]rawjson.Value
	schemaLine string // what is said of them
}

// detail is the rows of one stream.
type detail struct {
	*schemadoc.Document
	response *rs.Response
	input    SchemaInput
	rows     []*row
	widest   int // fields of the row that has most
}

func newDetail(response *rs.Response, d *schemadoc.Document, input SchemaInput) *detail {
	found := &detail{Document: d, response: response, input: input}
	byFields := map[string]*row{}
	for c, s := range d.Rows() {
		r := &row{connector: c, stream: s, members: s.Object()}
		all := schemadoc.Fields(r.members)
		r.fields = slices.DeleteFunc(all, func(f schemadoc.Field) bool { return len(f.Name) > handleMaximum })
		r.long = len(all) - len(r.fields)
		r.relations, r.hollow = schemadoc.Relations(r.members), !schemadoc.Advertised(r.fields)
		found.widest = max(found.widest, len(r.fields))
		if input.full() {
			r.readSchemas()
		} else if same := r.fieldList(); len(r.fields) > 0 {
			if r.like = byFields[same]; r.like == nil {
				byFields[same] = r
			}
		}
		found.rows = append(found.rows, r)
	}
	return found
}

// render shows each source's row of one stream and what it supports (R-SCH-3), or one source's exhaustive schema (R-SCH-7), within
// the bound of a channel (R-BUD-2). Both channels show the same portion, and tell what is left out.
func (d *detail) render() (*tool.Result, error) {
	portions, advice := compactPortions, "name its connection_id"
	if d.input.full() {
		portions, advice = fullPortions, "call "+tool.SchemaTool+" with stream and without detail"
	}
	if result := d.fit(portions); result != nil {
		return result, nil
	}
	return nil, d.response.Unusable("the schema of this stream does not fit into one result", advice)
}

// result is the result of a portion, or nil when it is too large.
func (d *detail) result(shown portion) *tool.Result {
	calls := d.calls(shown)
	text := d.text(shown, calls)
	if text.full() {
		return nil
	}
	structured := d.structured(shown, calls)
	if structured == nil || render.Length(string(structured)) > render.ChannelCharacters {
		return nil
	}
	return &tool.Result{Text: text.String(), Structured: structured}
}

// structured is the document of the rows, and what its words mean, or nil when a row is longer than any channel.
func (d *detail) structured(shown portion, calls []render.Call) json.RawMessage {
	data := d.envelope(shown)
	if data == nil {
		return nil
	}
	members := rawjson.Object{rawjson.Raw("data", data.Encode()), rawjson.Raw("legend", d.legend(shown))}
	if len(shown.dropped) > 0 {
		members = append(members, rawjson.Strings("members_left_out", shown.dropped))
	}
	return render.Structured(d.response, members, calls)
}

func (r *row) fieldList() string {
	var list strings.Builder
	for _, f := range r.fields {
		list.WriteString(f.Name + "\x00" + f.Flags + "\x00")
	}
	return list.String()
}

// leftOut is the number of fields that do not stand among the first ones.
func (r *row) leftOut(shown int) int { return max(0, len(r.fields)-shown) + r.long }

// arguments select the row in another call.
func (r *row) arguments(input SchemaInput) rawjson.Object {
	arguments := rawjson.Object{rawjson.String(tool.SchemaStream, r.stream.Name)}
	if shown, _ := usableConnections(r.connector.ConnectionsOf(r.stream), 1); len(shown) > 0 {
		return append(arguments, rawjson.String(tool.SchemaConnectionID, shown[0].ID))
	}
	if input.ConnectionID != nil {
		return append(arguments, rawjson.String(tool.SchemaConnectionID, *input.ConnectionID))
	}
	return arguments
}

// calls show what is left out, when other calls do: the first row that is, or that has not all of its fields here, and in the
// compact view what an exhaustive row says beside its JSON Schema.
func (d *detail) calls(shown portion) []render.Call {
	for i, r := range d.rows {
		if d.input.ConnectionID == nil && len(d.rows) > 1 && (i >= shown.rows || len(r.fields) > shown.fields) {
			if narrower := r.arguments(d.input); narrower.Get(tool.SchemaConnectionID) != nil {
				return []render.Call{schemaCall(narrower...)}
			}
		}
	}
	if len(shown.dropped) > 0 {
		return []render.Call{schemaCall(d.rows[0].arguments(d.input)...)}
	}
	return nil
}
