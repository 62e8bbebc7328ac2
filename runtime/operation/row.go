package operation

import (
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// labelCharacters bounds a label, a flag list and the like.
const labelCharacters = 100

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
		r.takeFields()
		r.relations, r.hollow = schemadoc.Relations(r.members), !schemadoc.Advertised(r.fields)
		found.widest = max(found.widest, len(r.fields))
		if same := r.fieldList(); len(r.fields) > 0 {
			if r.like = byFields[same]; r.like == nil {
				byFields[same] = r
			}
		}
		found.rows = append(found.rows, r)
	}
	return found
}

// takeFields keeps the fields with names that can be passed on.
func (r *row) takeFields() {
	all := schemadoc.Fields(r.members)
	r.fields = slices.DeleteFunc(all, func(f schemadoc.Field) bool { return len(f.Name) > handleMaximum })
	r.long = len(all) - len(r.fields)
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

// calls show what is left out, when a narrower call does.
func (d *detail) calls(shown portion) []render.Call {
	if narrower := d.narrower(shown); narrower != nil {
		return []render.Call{schemaCall(narrower...)}
	}
	return nil
}

// narrower are the arguments that show what is left out: the first row that is, or that has not all of
// its fields here. They are nil when nothing is, or when the call was as narrow.
func (d *detail) narrower(shown portion) rawjson.Object {
	if d.input.ConnectionID != nil || len(d.rows) == 1 {
		return nil
	}
	for i, r := range d.rows {
		if i >= shown.rows || len(r.fields) > shown.fields {
			if arguments := r.arguments(d.input); arguments.Get(tool.SchemaConnectionID) != nil {
				return arguments
			}
		}
	}
	return nil
}
