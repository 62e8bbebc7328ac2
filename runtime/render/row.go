package render

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// envelopeNames are the members of a record's wrapper. In a flat record every other member is a
// field of the source.
var envelopeNames = []string{
	"object", "id", "record_id", "record_key", "stream", "data", "connection_id", "connector_instance_id", "connector_key",
	"connector_id", "display_name", "emitted_at", "authored_at", "deleted", "deleted_at", "expanded", "links",
	"meta", "record_json_bytes", "url", "record_url", "record_uri",
}

// keptNames are the identity and operational members that stay in a projected record (R-QRY-1). The
// tool reference lists them: the word records of the spec's vocabulary says the same. Expanded relations
// stay only when they were asked for.
var keptNames = []string{
	"object", "id", "stream", "connection_id", "connector_key", "display_name", "emitted_at", "deleted", "deleted_at", expandedName,
}

const expandedName = "expanded"

// expands tells whether the RS was asked to expand relations.
func expands(response *rs.Response) bool {
	_, asked := response.Request.Query.Get("expand")
	return asked
}

// row is one record as the RS sent it.
type row struct {
	members rawjson.Object
	fields  rawjson.Object // the source's fields
	flat    bool           // fields stand beside the members, without a data object
	identity
}

// newRow takes a record apart. connectionID is the one of the call, for servers that do not repeat
// it in each row; so is the stream.
func newRow(value json.RawMessage, connectionID, stream string) (*row, bool) {
	r := &row{}
	return r, r.read(value, connectionID, stream, &row{})
}

// read is newRow for a record that probably has the members of another one.
func (r *row) read(value json.RawMessage, connectionID, stream string, other *row) bool {
	data := rawjson.Nested{Name: "data", Like: other.fields}
	members, ok := rawjson.ParseNested(value, other.members, &data)
	if !ok {
		return false
	}
	r.members, r.fields = members, data.Members
	if !data.Found {
		r.flat = true
		r.fields = members.Without(envelopeNames...)
		if openable(members.Text("url")) { // the source's own address, not the path of the answer
			r.fields = append(r.fields, rawjson.Raw("url", members.Get("url")))
		}
	}
	if sent := textLike(members.Get("connection_id"), other.connectionID); sent != "" {
		connectionID = sent
	} else if sent := members.Text("connector_instance_id"); sent != "" {
		connectionID = sent
	}
	if sent := textLike(members.Get("stream"), other.stream); sent != "" {
		stream = sent
	}
	r.identity = newIdentity(connectionID, stream, members.FirstText("id", "record_id", "record_key"))
	return true
}

// project keeps the requested fields and what keptNames names, whatever the RS sent. Nil keeps all.
func (r *row) project(fields []string, expanding bool) {
	if fields == nil {
		return
	}
	if !expanding {
		r.members = r.members.Without(expandedName)
	}
	r.fields = projected(r.fields, fields)
	kept := rawjson.Object{}
	for _, member := range r.members {
		if slices.Contains(keptNames, member.Name) {
			kept = append(kept, member)
		}
	}
	if r.flat {
		kept = append(kept, r.fields...)
	} else {
		kept = append(kept, rawjson.Raw("data", r.fields.Encode()))
	}
	r.members = kept
}

// projected keeps the named fields; a dotted name keeps the nested member that it names.
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

// replaceFields puts other fields into the record.
func (r *row) replaceFields(fields rawjson.Object) {
	if r.flat {
		for _, field := range fields {
			r.members = r.members.With(field.Name, field.Value)
		}
	} else {
		r.members = r.members.With("data", fields.Encode())
	}
	r.fields = fields
}
