package tool

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Role lists the fields that mean the same in many streams (R-FIND-4).
type Role struct {
	Fields     []string // names in order of preference
	Advertised []string // what a schema calls the role
}

// Has reports whether fields of that name have the role.
func (r Role) Has(name string) bool { return slices.Contains(r.Fields, name) }

// IsAdvertised reports whether this role is among the advertised roles of a field.
func (r Role) IsAdvertised(roles []string) bool {
	return slices.ContainsFunc(roles, func(name string) bool { return slices.Contains(r.Advertised, name) })
}

// Field returns the first field of a record that has the role and a value. It returns a member without a name if no
// field does.
func (r Role) Field(fields rawjson.Object) rawjson.Member {
	for _, name := range r.Fields {
		value := fields.Get(name)
		if text, isText := rawjson.Text(value); value != nil && string(value) != "null" && (!isText || text != "") {
			return rawjson.Raw(name, value)
		}
	}
	return rawjson.Member{}
}

// TimeField returns the field that says when the records of a stream happened: the one that the schema advertises for
// the stream, then one that has the role in the schema, then the first with a name of that role, then any other that
// holds times (R-TIME-2). Holds reports whether a field holds times, as far as the caller knows.
func TimeField(stream rawjson.Object, withRole, others []string, holds func(field string) bool) string {
	advertised := []string{stream.Text("consent_time_field"), stream.Text("cursor_field")}
	for _, name := range slices.Concat(advertised, withRole, TimeRole.Fields, others) {
		if name != "" && holds(name) {
			return name
		}
	}
	return ""
}

// Conversation lists fields whose value is shared by the records of one conversation (R-FIND-3).
type Conversation struct {
	Fields    []string
	Replies   []string // fields that count the replies of the record whose id the others hold; empty: all hold the same value
	With      string   // another field of the record that is needed to name the conversation; empty: none
	NearHours int      // records further apart in time do not belong together; 0: no limit
}
