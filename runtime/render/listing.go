package render

import (
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// listedValueBytes is the maximum size of a value in a listing. A listing is for a person at a terminal, so the limit
// is higher than for a model.
const listedValueBytes = 2_000

// Streams renders the list of the granted streams for a terminal, with the resource server's JSON unchanged if it is of
// one grant.
func Streams(found *answer.Streams) (*tool.Result, error) {
	structured := found.Sent
	if structured == nil {
		rows := make([]rawjson.Value, len(found.Rows))
		for i, row := range found.Rows {
			rows[i] = row.Encode()
		}
		body := rawjson.Object{rawjson.String("object", "list"), rawjson.Raw("data", rawjson.Array(rows))}
		if len(found.Warnings) > 0 {
			meta := rawjson.Object{rawjson.Raw("warnings", rawjson.Array(found.Warnings))}
			body = append(body, rawjson.Raw("meta", meta.Encode()))
		}
		structured = body.Encode()
	}
	return &tool.Result{Text: Rows(found.Rows), Structured: structured}, nil
}

// Rows lists objects for a terminal, each in one line.
func Rows(rows []rawjson.Object) string {
	if len(rows) == 0 {
		return "no rows"
	}
	lines := make([]string, len(rows))
	for i, members := range rows {
		lines[i] = strings.Join(listedMembers(members), " ")
	}
	return strings.Join(lines, "\n")
}

// Members lists the members of an object for a terminal, each in one line.
func Members(members rawjson.Object) string { return strings.Join(listedMembers(members), "\n") }

func listedMembers(members rawjson.Object) []string {
	listed := make([]string, len(members))
	for i, member := range members {
		value := string(member.Value)
		if len(value) > listedValueBytes {
			value = fmt.Sprintf("(%d bytes; --format json shows them)", len(value))
		}
		listed[i] = member.Name + "=" + value
	}
	return listed
}
