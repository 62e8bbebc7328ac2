package render

import (
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// TimeField returns the field that holds the time of the event of a record, according to the schema (R-TIME-2). It is empty if none is
// known.
func TimeField(stream *schemadoc.Stream) string {
	isTime := map[string]bool{}
	for _, field := range stream.Fields() {
		isTime[field.Name] = tool.TimeRole.Has(field.Name) || tool.TimeRole.IsAdvertised(field.Values("role"))
	}
	return tool.TimeField(stream.Members, func(name string) bool { return isTime[name] })
}
