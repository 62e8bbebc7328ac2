package render

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// TimeField returns the field that holds the time of the event of a record, according to the schema (R-TIME-2). It is
// empty if none is known.
func TimeField(stream *schemadoc.Stream) string {
	var times, all []string
	for _, field := range stream.Fields() {
		if all = append(all, field.Name); slices.Contains(field.Values("t"), "timestamp") {
			times = append(times, field.Name)
		}
	}
	withRole := TimesByRole(stream)
	return tool.TimeField(stream.Members, withRole, times, func(name string) bool {
		return slices.Contains(all, name) && (tool.TimeRole.Has(name) || slices.Contains(withRole, name) || slices.Contains(times, name))
	})
}

// TimesByRole returns the fields that have the role of the event's time in the schema of a stream.
func TimesByRole(stream *schemadoc.Stream) (names []string) {
	for _, field := range stream.Fields() {
		if tool.TimeRole.IsAdvertised(field.Values("role")) {
			names = append(names, field.Name)
		}
	}
	return names
}
