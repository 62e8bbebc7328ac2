package refusal

import (
	"iter"
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
func (s schema) rows(stream, connectionID string) iter.Seq2[*schemadoc.Connector, *schemadoc.Stream] {
	return func(yield func(*schemadoc.Connector, *schemadoc.Stream) bool) {
		for connector, row := range s.Rows() {
			matches := (stream == "" || row.Name == stream) && (connectionID == "" || schemadoc.HasConnection(connector.ConnectionsOf(row), connectionID))
			if matches && !yield(connector, row) {
				return
			}
		}
	}
}

func (s schema) hasConnection(id string) bool {
	return slices.ContainsFunc(s.names.Connections(""), func(c schemadoc.NamedConnection) bool { return c.ID == id })
}

// streamsWith returns the first streams that have a field.
func (s schema) streamsWith(field string) []string {
	var names []string
	for _, row := range s.Rows() {
		if len(names) == maxOtherStreams {
			break
		}
		if slices.ContainsFunc(row.Fields(), func(f schemadoc.Field) bool { return f.Name == field }) {
			names = add(names, quoted(row.Name))
		}
	}
	return names
}

// fields returns the fields of a stream, each once.
func (s schema) fields(stream, connectionID string) fields {
	var found fields
	for _, row := range s.rows(stream, connectionID) {
		for _, field := range row.Fields() {
			if found.named(field.Name) == nil {
				found = append(found, field)
			}
		}
	}
	return found
}

func (s schema) relations(stream, connectionID string) []string {
	var names []string
	for _, row := range s.rows(stream, connectionID) {
		for _, relation := range row.Relations() {
			if relation.Usable() {
				names = add(names, relation.Name)
			}
		}
	}
	return names
}

// cursorField returns the field that the stream is sorted by, or an empty string if the schema does not say.
func (s schema) cursorField(stream, connectionID string) string {
	cursor := ""
	for _, row := range s.rows(stream, connectionID) {
		if own := row.Members.Text("cursor_field"); own != "" {
			cursor = own
		}
	}
	return cursor
}

// fields are the fields of one stream.
type fields []schemadoc.Field

// named returns the field of that name, or nil.
func (f fields) named(name string) *schemadoc.Field {
	for i := range f {
		if f[i].Name == name {
			return &f[i]
		}
	}
	return nil
}

// granted returns the names of the fields that the grant covers.
func (f fields) granted() []string {
	var names []string
	for _, field := range f {
		if isGranted(field) {
			names = append(names, field.Name)
		}
	}
	return names
}

// times returns the names that say that a field holds a time.
func (f fields) times() []string {
	return slices.DeleteFunc(f.granted(), func(name string) bool { return name != "at" && !strings.HasSuffix(name, "_at") })
}

func isGranted(field schemadoc.Field) bool { return !field.Has("g=false") }

// declaredFor returns the names of the fields that are declared for a use, such as sum.
func (f fields) declaredFor(use string) []string {
	var names []string
	for _, field := range f {
		if slices.Contains(field.Values("a"), use) {
			names = append(names, field.Name)
		}
	}
	return names
}

func add(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}
