package render

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// relation is what the RS expanded of a record: children, or a value of another kind.
type relation struct {
	name    string
	value   json.RawMessage
	list    *list  // the envelope of the children; nil when there is none
	rows    []*row // the children; nil for a value of another kind
	isOne   bool   // it is one record, not a list of them
	leftOut []*row // children that do not fit
}

const handlesListed = 50 // handles of children that are left out, in one relation

// relations takes expanded relations apart.
func (r *row) relations(value json.RawMessage) []relation {
	if value == nil {
		return nil
	}
	expanded, _ := rawjson.ParseObject(value)
	related := make([]relation, 0, len(expanded))
	for _, member := range expanded {
		related = append(related, r.relation(member))
	}
	return related
}

func (r *row) relation(member rawjson.Member) relation {
	found := relation{name: member.Name, value: member.Value}
	values, ok := rawjson.Elements(member.Value)
	if !ok {
		if rawjson.Kind(member.Value) != rawjson.ObjectValue {
			return found
		}
		if envelope, isList := rs.ListIn(member.Value); isList {
			found.list, values = &list{envelope}, envelope.Rows
		} else {
			found.isOne, values = true, []json.RawMessage{member.Value}
		}
	}
	for _, value := range values {
		child, ok := newRow(value, r.connectionID, "")
		if !ok {
			return relation{name: member.Name, value: member.Value}
		}
		found.rows = append(found.rows, child)
	}
	return found
}

// appendRelated appends the relations as an object: of each a list of children in the form of rows (R-FETCH-7), or the
// one record that it is. What is neither stands as it was sent. It adds to a number of clipped values.
func (r *row) appendRelated(out []byte, most ceiling, cuts int) ([]byte, int) {
	out = append(out, '{')
	for i := range r.related {
		relation := &r.related[i]
		out = append(rawjson.AppendQuote(out, relation.name), ':')
		switch {
		case relation.rows == nil:
			fields, cut := r.clip(rawjson.Object{rawjson.Raw(relation.name, relation.value)}, most)
			out, cuts = append(out, fields[0].Value...), cuts+len(cut)
		case relation.isOne:
			out, cuts = relation.rows[0].appendChild(out, most, cuts)
		default:
			out, cuts = relation.append(out, most, cuts)
		}
		out = append(out, ',')
	}
	if last := len(out) - 1; out[last] == ',' {
		out = out[:last]
	}
	return append(out, '}'), cuts
}

func (r *relation) append(out []byte, most ceiling, cuts int) ([]byte, int) {
	about := rawjson.Object{}
	if r.list != nil {
		about = r.list.around(nil)
	}
	if r.leftOut != nil {
		about = append(about, rawjson.Strings("left_out", handlesOf(r.leftOut)))
	}
	out = append(out, opening(about, nil, "data")...)
	for i, child := range r.rows {
		if i > 0 {
			out = append(out, ',')
		}
		out, cuts = child.appendChild(out, most, cuts)
	}
	return append(out, "]}"...), cuts
}

// appendChild appends a record that another one is expanded to.
func (r *row) appendChild(out []byte, most ceiling, cuts int) ([]byte, int) {
	shown := r.shown(r.known(), most)
	return r.append(out, r.known(), shown), cuts + shown.cuts
}

// known are the members of a child's wrapper that its handle, or the record that it is expanded from, says already.
func (r *row) known() rawjson.Object {
	known := rawjson.Object{{Name: "display_name"}, {Name: "connector_key"}}
	if r.embedded {
		known = append(known, rawjson.Member{Name: "stream"}, rawjson.Member{Name: "connection_id"})
	}
	return known
}

func handlesOf(rows []*row) []string {
	var handles []string
	for _, row := range rows[:min(len(rows), handlesListed)] {
		handles = append(handles, row.handle)
	}
	return handles
}

// relatedCalls fetch what is not shown of the relations: the first child that is left out of each, which is fetched like the
// others of its list, or the relation itself.
func (r *row) relatedCalls(most ceiling) []Call {
	var calls []Call
	for i := range r.related {
		relation := &r.related[i]
		switch {
		case len(relation.leftOut) > 0 && relation.leftOut[0].canFetch():
			calls = append(calls, relation.leftOut[0].fetch())
		case len(relation.leftOut) > 0 && r.canFetch() && passable([]string{relation.name}) != nil:
			calls = append(calls, r.fetchFewer(relation))
		case relation.rows == nil && len(relation.value) > most.above && r.canFetch() && passable([]string{relation.name}) != nil:
			calls = append(calls, r.fetch(rawjson.Strings(tool.DocumentExpand, []string{relation.name})))
		}
	}
	return calls
}

// fetchFewer reads as many children of a relation as are shown, in a result of their own.
func (r *row) fetchFewer(relation *relation) Call {
	limits := rawjson.Object{rawjson.Int(relation.name, int64(max(1, len(relation.rows))))}
	return r.fetch(rawjson.Strings(tool.DocumentExpand, []string{relation.name}), rawjson.Raw(tool.DocumentExpandLimit, limits.Encode()))
}

// narrow leaves out the last fields and children of a record that is too large with every value clipped, so that the
// others fit into so many characters. What is left out is named.
func (r *row) narrow(characters int) {
	least := ceiling{0, 0}
	fields, _ := r.clip(r.fields, least)
	for i, field := range fields {
		if characters -= Length(field.Name) + rawLength(field.Value) + 4; characters < 0 {
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
			written, _ := child.appendChild(nil, least, 0)
			if characters -= rawLength(written) + 1; characters < 0 && !relation.isOne {
				relation.rows, relation.leftOut = relation.rows[:at:at], relation.rows[at:]
				break
			}
		}
	}
}
