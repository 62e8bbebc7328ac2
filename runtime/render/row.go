package render

import (
	"bytes"
	"cmp"
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
	"connector_id", "display_name", "emitted_at", "authored_at", "deleted", "deleted_at", expandedName, "links",
	"meta", "record_json_bytes", "url", "record_url", "record_uri",
}

// keptNames are the identity and operational members that stay in a projected record (R-QRY-1). The
// tool reference lists them: the word records of the spec's vocabulary says the same.
var keptNames = []string{"id", "stream", "connection_id", "connector_key", "display_name", "deleted", "deleted_at"}

// ownNames are the members of a wrapper that are of one row, or that are written in a place of their own.
var ownNames = []string{"id", "record_id", "record_key", "data", expandedName, "deleted", "deleted_at"}

// silentNames are not sent: REST routes, a deprecated twin of connection_id, links, and that a record is one (R-BUD-7).
var silentNames = []string{"object", "connector_instance_id", "links", "url", "record_url", "record_uri"}

const expandedName = "expanded"

// row is one record as the RS sent it.
type row struct {
	members  rawjson.Object  // of the wrapper; in a flat record also the fields
	fields   rawjson.Object  // the source's fields
	data     json.RawMessage // the fields as they were sent; nil when they stand beside the members, or were projected
	hasData  bool            // a tombstone has none (R-QRY-4)
	isFlat   bool
	related  []relation
	leftOut  []string // names of fields that are not shown, since there are too many
	projects bool     // to what keptNames names
	identity
}

// newRow takes a record apart. connectionID is the one of the call, for servers that do not repeat
// it in each row; so is the stream.
func newRow(value json.RawMessage, connectionID, stream string) (*row, bool) {
	members, ok := rawjson.ParseObject(value)
	if !ok {
		return nil, false
	}
	r := &row{members: members}
	data := members.Get("data")
	fields, hasData := rawjson.ParseObject(data)
	if r.fields = fields; hasData {
		r.data = data
	} else {
		r.isFlat = true
		r.fields = members.Without(envelopeNames...)
		if openable(members.Text("url")) { // the source's own address, not the path of the answer
			r.fields = append(r.fields, rawjson.Raw("url", members.Get("url")))
		}
	}
	r.hasData = hasData || len(r.fields) > 0
	connectionID = cmp.Or(members.FirstText("connection_id", "connector_instance_id"), connectionID)
	r.identity = newIdentity(connectionID, cmp.Or(members.Text("stream"), stream), members.FirstText("id", "record_id", "record_key"))
	r.related = r.relations(members.Get(expandedName))
	return r, true
}

// project keeps the requested fields and what keptNames names, whatever the RS sent.
func (r *row) project(fields []string, expanding bool) {
	r.fields, r.data, r.projects = projected(r.fields, fields), nil, true
	if !expanding {
		r.related = nil
	}
}

// expands reports whether the RS was asked to expand relations.
func expands(response *rs.Response) bool {
	_, asked := response.Request.Query.Get("expand")
	return asked
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

// sharedMembers are the members of the wrapper that all of several rows have with the same value, so that they can be said once.
func sharedMembers(rows []*row) rawjson.Object {
	var shared rawjson.Object
	if len(rows) < 2 {
		return nil
	}
	for at, member := range rows[0].members {
		if !rows[0].isSent(member) || slices.Contains(ownNames, member.Name) {
			continue
		}
		if !slices.ContainsFunc(rows[1:], func(r *row) bool { return !bytes.Equal(r.memberAt(at, member.Name), member.Value) }) {
			shared = append(shared, member)
		}
	}
	return shared
}

// memberAt is the member of a name, which probably stands in this place.
func (r *row) memberAt(at int, name string) json.RawMessage {
	if at < len(r.members) && r.members[at].Name == name {
		return r.members[at].Value
	}
	return r.members.Get(name)
}

// isSent reports whether a member of the wrapper goes to the client.
func (r *row) isSent(member rawjson.Member) bool {
	switch {
	case slices.Contains(silentNames, member.Name) || rawjson.Kind(member.Value) == rawjson.Null:
		return false
	case r.projects:
		return slices.Contains(keptNames, member.Name)
	case r.isFlat:
		return slices.Contains(envelopeNames, member.Name)
	}
	return true
}

// WholeRows gives the rows of a page of records without the bounds of a result: each is whole, with its wrapper, and with the
// fields that the request asked for. It gives nothing for a response that is no list. What is no object stays as it is.
func WholeRows(response *rs.Response) []json.RawMessage {
	list, err := response.List()
	if err != nil {
		return nil
	}
	asked, projects := response.Request.Query.Get("fields")
	rows := make([]json.RawMessage, len(list.Rows))
	for i, value := range list.Rows {
		rows[i] = value
		if row, ok := newRow(value, "", ""); ok && projects {
			row.project(strings.Split(asked, ","), expands(response))
			kept := rawjson.Object{}
			for _, member := range row.members {
				if slices.Contains(keptNames, member.Name) || member.Name == expandedName && row.related != nil {
					kept = append(kept, member)
				}
			}
			rows[i] = append(kept, rawjson.Raw("data", row.fields.Encode())).Encode()
		}
	}
	return rows
}

// RowIdentity is what tells a row of a page from others. Shared are the members that are said once for all rows.
func RowIdentity(value, shared json.RawMessage) string {
	members, _ := rawjson.ParseObject(value)
	once, _ := rawjson.ParseObject(shared)
	all := append(members, once...)
	return all.Text("connection_id") + "\x00" + all.Text("stream") + "\x00" + all.FirstText("id", "record_id", "record_key")
}
