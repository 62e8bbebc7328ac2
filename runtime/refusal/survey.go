package refusal

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// survey answers what names there are.
type survey struct{ *schemadoc.Document }

// rows are those of a stream, or of all streams when its name is empty.
func (s survey) rows(stream string) iter.Seq2[*schemadoc.Connector, *schemadoc.Stream] {
	return func(yield func(*schemadoc.Connector, *schemadoc.Stream) bool) {
		for c, row := range s.Rows() {
			if (stream == "" || row.Name == stream) && !yield(c, row) {
				return
			}
		}
	}
}

func (s survey) streams() []string {
	var names []string
	for _, row := range s.Rows() {
		names = add(names, row.Name)
	}
	return names
}

// streamsWith are the first streams that have a field.
func (s survey) streamsWith(field string) []string {
	var names []string
	for _, row := range s.Rows() {
		if len(names) == elsewhereMost {
			break
		}
		if slices.ContainsFunc(schemadoc.Fields(row.Object()), func(f schemadoc.Field) bool { return f.Name == field }) {
			names = add(names, quoted(row.Name))
		}
	}
	return names
}

func (s survey) fields(stream string) []schemadoc.Field {
	var fields []schemadoc.Field
	for _, row := range s.rows(stream) {
		for _, f := range schemadoc.Fields(row.Object()) {
			if !slices.ContainsFunc(fields, func(g schemadoc.Field) bool { return f.Name == g.Name }) {
				fields = append(fields, f)
			}
		}
	}
	return fields
}

func (s survey) relations(stream string) []string {
	var names []string
	for _, row := range s.rows(stream) {
		for _, relation := range schemadoc.Relations(row.Object()) {
			if relation.Usable() {
				names = add(names, relation.Name)
			}
		}
	}
	return names
}

func (s survey) cursorField(stream string) string {
	cursor := ""
	for _, row := range s.rows(stream) {
		if own := row.Object().Text("cursor_field"); own != "" {
			cursor = own
		}
	}
	return cursor
}

// connections are those that have a stream, or all when its name is empty, each with its connector's key.
func (s survey) connections(stream string) (found []schemadoc.Connection, keys map[string]string) {
	keys = map[string]string{}
	for c, row := range s.rows(stream) {
		for _, connection := range c.ConnectionsOf(row) {
			if _, known := keys[connection.ID]; !known {
				keys[connection.ID] = c.Key
				found = append(found, connection)
			}
		}
	}
	return found, keys
}

// connection judges an id of a connection: whether there is one, and whether it has the stream. A display name or the key of
// a connector that means one connection is answered with its id.
func (c call) connection(s survey, p place, stream string) []finding {
	having, keys := s.connections(stream)
	var ids, byName, byKey []string
	for _, each := range having {
		ids = append(ids, each.ID)
		if each.Label != "" && nearname.Meant(p.name, []string{each.Label}) != "" {
			byName = append(byName, each.ID)
		}
		if strings.EqualFold(p.name, keys[each.ID]) {
			byKey = append(byKey, each.ID)
		}
	}
	if len(ids) == 0 || slices.Contains(ids, p.name) {
		return nil
	}
	of := ""
	if stream != "" {
		of = " that has stream " + quoted(stream)
	}
	all, _ := s.connections("")
	switch {
	case schemadoc.HasConnection(all, p.name):
		return []finding{at(p, onlyOf(ids), ids, fmt.Sprintf("Connection %s has no stream %s; accepted lists the connections that have it.%s",
			quoted(p.name), quoted(stream), c.orAsk(tool.Uncovered{ConnectionID: p.name, Stream: stream})))}
	case len(byName) == 1:
		return []finding{at(p, byName[0], ids, fmt.Sprintf("%s is the name of a connection, whose id is %s.", quoted(p.name), quoted(byName[0])))}
	case len(byName) > 1:
		return []finding{at(p, "", byName, fmt.Sprintf("%s names several connections; accepted lists their ids.", quoted(p.name)))}
	case nearname.Meant(p.name, ids) != "":
	case len(byKey) == 1:
		return []finding{at(p, byKey[0], ids, fmt.Sprintf("%s is a connector, whose only connection%s is %s.", quoted(p.name), of, quoted(byKey[0])))}
	case len(byKey) > 1:
		return []finding{at(p, "", byKey, fmt.Sprintf("%s is a connector with several connections; accepted lists their ids.", quoted(p.name)))}
	}
	says := fmt.Sprintf("There is no connection %s; accepted lists the ids of those%s.", quoted(p.name), strings.Replace(of, " that has", " that have", 1))
	return []finding{c.orUncovered(p, ids, says, tool.Uncovered{ConnectionID: p.name, Stream: stream})}
}

func add(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}
