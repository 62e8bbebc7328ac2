package schemadoc

import "github.com/pdppmcp/pdpp-mcp/runtime/rawjson"

// Relation is one relation that expand takes.
type Relation struct {
	Name    string         // not empty
	Members rawjson.Object // as the server sent them; of a bare name the name alone
}

// Relations are a row's expand_capabilities, or nil when the server sent no list of them.
func Relations(row rawjson.Object) []Relation {
	elements, ok := rawjson.Elements(row.Get("expand_capabilities"))
	if !ok {
		return nil
	}
	relations := []Relation{}
	for _, element := range elements {
		members, _ := rawjson.ParseObject(element)
		if name, bare := rawjson.Text(element); bare {
			members = rawjson.Object{rawjson.String("name", name)}
		}
		if name := members.Text("name"); name != "" {
			relations = append(relations, Relation{name, members})
		}
	}
	return relations
}

// Usable reports whether the relation can be expanded with this grant. One that does not say whether it is granted and
// usable is.
func (r Relation) Usable() bool {
	return string(r.Members.Get("usable")) != "false" && string(r.Members.Get("granted")) != "false"
}
