package render

import (
	"encoding/json"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

type relation struct {
	name    string
	value   json.RawMessage
	about   rawjson.Object // the useful members of the envelope of the children, if there is one
	rows    []*row         // the children; nil for a value that is neither a record nor a list of records
	isOne   bool           // the value is one record
	leftOut []*row         // children that do not fit
}

// Bounds of the children of one relation.
const (
	maxChildren   = 1_000 // the value of a longer list is treated as a long value
	handlesListed = 50    // of children that are left out
)

func (r *row) relation(member rawjson.Member) relation {
	unknown := relation{name: member.Name, value: member.Value}
	found := unknown
	values, isArray := rawjson.Elements(member.Value)
	if !isArray {
		if rawjson.Kind(member.Value) != rawjson.ObjectValue {
			return unknown
		}
		if found.about, values, isArray = childrenIn(member.Value); !isArray {
			found.isOne, values = true, []json.RawMessage{member.Value}
		}
	}
	if len(values) > maxChildren {
		return unknown
	}
	for _, value := range values {
		child, ok := newRow(value, r.connectionID, "")
		if !ok {
			return unknown
		}
		found.rows = append(found.rows, child)
	}
	return found
}

// childrenIn returns the rows of a list of children, and the useful members next to them. It is false for an object
// without rows.
func childrenIn(value rawjson.Value) (about rawjson.Object, rows []rawjson.Value, isList bool) {
	envelope, _ := rawjson.ParseObject(value)
	for _, name := range []string{"data", "records", "results", "hits"} { // the usual one first
		rows := envelope.Get(name)
		if rawjson.Kind(rows) != rawjson.ArrayValue {
			continue
		}
		about := informative(envelope).Without(name, "data", "has_more", "next_cursor", "next_changes_since")
		if hasMore := envelope.Get("has_more"); hasMore != nil {
			about = append(about, rawjson.Raw("has_more", hasMore))
		}
		children, isComplete := rawjson.Elements(rows)
		return about, children, isComplete
	}
	return nil, nil, false
}

// expanded returns the relations as a member, and the number of clipped values. A relation is a list of rows
// (R-FETCH-7), one row, or the value that was sent.
func (r *row) expanded(limit clipLimit) (rawjson.Member, int) {
	var object rawjson.Object
	cuts := 0
	for _, relation := range r.related {
		value, cut := relation.encode(r, limit)
		object, cuts = append(object, rawjson.Raw(relation.name, value)), cuts+cut
	}
	return rawjson.Raw(expandedName, object.Encode()), cuts
}

func (l relation) encode(parent *row, limit clipLimit) (json.RawMessage, int) {
	switch {
	case l.rows == nil:
		fields, cut := parent.clip(rawjson.Object{rawjson.Raw(l.name, l.value)}, limit)
		return fields[0].Value, len(cut)
	case l.isOne:
		return l.rows[0].child(limit)
	}
	about := slices.Clip(l.about)
	if l.leftOut != nil {
		var handles []string
		for _, row := range l.leftOut[:min(len(l.leftOut), handlesListed)] {
			handles = append(handles, row.handle)
		}
		about = append(about, rawjson.Strings("left_out", handles))
	}
	rows, cuts := make([]json.RawMessage, len(l.rows)), 0
	for i, child := range l.rows {
		written, cut := child.child(limit)
		rows[i], cuts = written, cuts+cut
	}
	return append(about, rawjson.Raw("data", rawjson.Array(rows))).Encode(), cuts
}

// child returns the row as an expanded record. It leaves out members that its handle or its parent has.
func (r *row) child(limit clipLimit) (json.RawMessage, int) {
	known := rawjson.Object{{Name: "display_name"}, {Name: "connector_key"}}
	if r.embedded {
		known = append(known, rawjson.Member{Name: wire.Stream}, rawjson.Member{Name: wire.ConnectionID})
	}
	shown := r.show(limit)
	return r.appendObject(nil, known, shown, nil), shown.cuts
}

// relatedCalls returns the calls that fetch the hidden parts of the relations: the first child that is left out, or the
// whole relation.
func (r *row) relatedCalls(limit clipLimit) []answer.Call {
	var calls []answer.Call
	for _, relation := range r.related {
		isNamed := r.canFetch() && acceptedNames([]string{relation.name}) != nil
		expand := rawjson.Strings(tool.DocumentExpand, []string{relation.name})
		switch {
		case len(relation.leftOut) > 0 && relation.leftOut[0].canFetch():
			calls = append(calls, relation.leftOut[0].fetch())
		case len(relation.leftOut) > 0 && isNamed:
			fewer := rawjson.Object{rawjson.Int(relation.name, int64(max(1, len(relation.rows))))}
			calls = append(calls, r.fetch(expand, rawjson.Raw(tool.DocumentExpandLimit, fewer.Encode())))
		case relation.rows == nil && len(relation.value) > limit.above && isNamed:
			calls = append(calls, r.fetch(expand))
		}
	}
	return calls
}

// narrow removes the last fields and children of a record that is too large even if every value is clipped. The result
// names them.
func (r *row) narrow(characters int) {
	fields, _ := r.clip(r.fields, clipLimit{})
	for i, field := range fields {
		if characters -= Length(field.Name) + Length(field.Value) + 4; characters < 0 {
			r.leftOut, r.fields = fields[i:].Names(), r.fields[:i:i]
			break
		}
	}
	for i := range r.related {
		relation := &r.related[i]
		if relation.isOne {
			relation.rows[0].narrow(max(0, characters))
		}
		for at, child := range relation.rows {
			written, _ := child.child(clipLimit{})
			if characters -= Length(written) + 1; characters < 0 && !relation.isOne {
				relation.rows, relation.leftOut = relation.rows[:at:at], relation.rows[at:]
				break
			}
		}
	}
}
