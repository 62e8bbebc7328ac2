package refusal

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// schema looks names up in a schema document.
type schema struct {
	*schemadoc.Document
	names schemadoc.Names
}

// rows returns the rows of a stream and a connection. An empty name matches all of them.
func (s schema) rows(stream, connectionID string) []*schemadoc.Stream {
	var rows []*schemadoc.Stream
	for connector, row := range s.Rows() {
		if (stream == "" || row.Name == stream) && (connectionID == "" || schemadoc.HasConnection(connector.ConnectionsOf(row), connectionID)) {
			rows = append(rows, row)
		}
	}
	return rows
}

func (s schema) hasConnection(id string) bool {
	return slices.ContainsFunc(s.names.Connections(""), func(c schemadoc.NamedConnection) bool { return c.ID == id })
}

// fieldsOf returns the fields of rows without repetition.
func fieldsOf(rows []*schemadoc.Stream) fields {
	var found fields
	for _, row := range rows {
		for _, field := range row.Fields() {
			if found.named(field.Name) == nil {
				found = append(found, field)
			}
		}
	}
	return found
}

// relationsOf returns the names of the relations that can be expanded.
func relationsOf(rows []*schemadoc.Stream) []string {
	var names []string
	for _, row := range rows {
		for _, relation := range row.Relations() {
			if relation.Usable() {
				names = addName(names, relation.Name)
			}
		}
	}
	return names
}

// cursorFieldOf returns the field that the stream is sorted by, or an empty string if the schema does not say.
func cursorFieldOf(rows []*schemadoc.Stream) string {
	cursor := ""
	for _, row := range rows {
		cursor = cmp.Or(row.Members.Text("cursor_field"), cursor)
	}
	return cursor
}

// fields are the fields of one stream.
type fields []schemadoc.Field

// named returns the field of that name, or nil.
func (f fields) named(name string) *schemadoc.Field {
	i := slices.IndexFunc(f, func(field schemadoc.Field) bool { return field.Name == name })
	if i < 0 {
		return nil
	}
	return &f[i]
}

// names returns the names of the fields that keep selects.
func (f fields) names(keep func(schemadoc.Field) bool) []string {
	var names []string
	for _, field := range f {
		if keep(field) {
			names = append(names, field.Name)
		}
	}
	return names
}

func isGranted(field schemadoc.Field) bool { return !field.Has("g=false") }

// isTime reports whether a field is granted and has a name for a time.
func isTime(field schemadoc.Field) bool {
	return isGranted(field) && (field.Name == "at" || strings.HasSuffix(field.Name, "_at"))
}

func addName(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}
