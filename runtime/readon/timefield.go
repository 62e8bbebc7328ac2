package readon

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// TimeField returns the field that says when the records of a stream happened, if it holds times in the recent records. It is empty without
// such a field.
func TimeField(stream rawjson.Object, recent []rawjson.Cursor) string {
	return tool.TimeField(stream, func(name string) bool { return holdsTimes(name, recent) })
}

// advertisedTime returns the field that the schema advertises, if its name is that of a time.
func advertisedTime(stream rawjson.Object) string {
	advertised := []string{stream.Text("consent_time_field"), stream.Text("cursor_field")}
	return tool.TimeField(stream, func(name string) bool { return slices.Contains(advertised, name) && tool.TimeRole.Has(name) })
}

// holdsTimes reports whether a field is a time in one record at least, and nothing else in any.
func holdsTimes(name string, records []rawjson.Cursor) bool {
	holds := false
	for _, fields := range records {
		value := fields.Member(name)
		if value == nil || rawjson.Kind(value) == rawjson.Null {
			continue
		}
		if rawjson.Kind(value) != rawjson.StringValue {
			return false
		}
		if _, holds = scalar.Instant(scalar.TextOf(value)); !holds {
			return false
		}
	}
	return holds
}
