// Package schema renders the answer of the tool schema: the index of all streams, or the rows of one stream.
package schema

import (
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Render shows a schema within the bounds of a result. Its error is an *answer.TooLargeError.
func Render(found *answer.Schema) (*tool.Result, error) {
	if found.Stream == nil {
		return (&index{Schema: found, ambiguousStreams: sharedStreams(found.Document)}).render()
	}
	return newDetail(found).render()
}

// limits describes the limits of the grants (R-CLAIM-2). It is empty without known ones.
func limits(found *answer.Schema) string {
	note := render.LimitsNote(found.Limits)
	if !found.Expires.IsZero() {
		note = strings.TrimSpace(note + " The access ends at " + found.Expires.Format(time.RFC3339) + ".")
	}
	return note
}

func schemaCall(arguments ...rawjson.Member) answer.Call {
	return answer.Call{Tool: tool.SchemaTool, Arguments: append(rawjson.Object{}, arguments...)}
}
