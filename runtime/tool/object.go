package tool

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// object is an error object in the making.
type object struct{ rawjson.Object }

// objectOf takes JSON apart. A name that stands twice counts as it stands last. What is no JSON object is empty.
func objectOf(text json.RawMessage) object {
	var o object
	compact, err := rawjson.Compact(text)
	if err != nil {
		return o
	}
	members, _ := rawjson.ParseObject(compact)
	places := make(map[string]int, len(members)) // an answer may hold very many
	for _, member := range members {
		if place, twice := places[member.Name]; twice {
			o.Object[place] = member
			continue
		}
		places[member.Name] = len(o.Object)
		o.Object = append(o.Object, member)
	}
	return o
}

// set sets a member, in its old place when it was there before.
func (o *object) set(member rawjson.Member) { o.Object = o.With(member.Name, member.Value) }

// raw sets a member without the whitespace in its value. What is not JSON is not set.
func (o *object) raw(name string, value json.RawMessage) {
	if compact, err := rawjson.Compact(value); err == nil {
		o.set(rawjson.Raw(name, compact))
	}
}

// text sets a member unless the text is empty.
func (o *object) text(name, value string) {
	if value != "" {
		o.set(rawjson.String(name, value))
	}
}

// first moves a member to the front.
func (o *object) first(name string) {
	o.Object = append(rawjson.Object{rawjson.Raw(name, o.Get(name))}, o.Without(name)...)
}

// missing sets a member that is not there.
func (o *object) missing(name, value string) {
	if o.Get(name) == nil {
		o.text(name, value)
	}
}
