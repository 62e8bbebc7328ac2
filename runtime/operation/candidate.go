package operation

import (
	"cmp"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// candidate is one source of the stream that was asked for.
type candidate struct {
	schemadoc.Connection
	connector *schemadoc.Connector
}

// candidates are the connections of all rows, each once.
func candidates(d *schemadoc.Document) []candidate {
	var found []candidate
	seen := map[string]bool{}
	for c, stream := range d.Rows() {
		for _, connection := range c.ConnectionsOf(stream) {
			if !seen[connection.ID] {
				seen[connection.ID] = true
				found = append(found, candidate{connection, c})
			}
		}
	}
	return found
}

// candidateMaximum bounds one candidate in bytes, and candidatesKept their number: an error object of
// any size is cut to fit a result, with totals and a mark (R-ERR-5), but it is not built from everything
// that a server might send.
const (
	candidateMaximum = 2_000
	candidatesKept   = 1_000
)

// ambiguous is the refusal to choose among several sources (R-SCH-7). The candidates are capped where the
// error becomes a result.
func ambiguous(d *schemadoc.Document, stream string, sources []candidate) *tool.Error {
	rows := []rawjson.Value{}
	for _, source := range sources[:min(len(sources), candidatesKept)] {
		if row := source.encode(stream, d.GrantID()); len(row) <= candidateMaximum {
			rows = append(rows, row)
		}
	}
	return &tool.Error{
		Code: tool.AmbiguousConnection,
		Message: fmt.Sprintf("the full schema of stream %q has %d sources; call again with the connection_id of one of "+
			"available_connections, or call %s with the stream alone, which lists them all", render.Clip(stream, handleMaximum), len(sources), tool.SchemaTool),
		Param:                tool.SchemaConnectionID,
		RetryWith:            tool.SchemaConnectionID,
		AvailableConnections: rawjson.Array(rows),
	}
}

// encode writes a candidate. A connection of a package names its own grant.
func (c candidate) encode(stream, grant string) rawjson.Value {
	own, _ := rawjson.ParseObject(c.Row)
	row := rawjson.Object{rawjson.String("connection_id", c.ID)}
	for _, member := range []struct{ name, value string }{
		{"grant_id", cmp.Or(own.Text("grant_id"), grant)},
		{"connector_key", c.connector.Key},
		{"stream", stream},
		{"display_name", render.Clip(c.Label, labelCharacters)},
	} {
		if member.value != "" {
			row = append(row, rawjson.String(member.name, member.value))
		}
	}
	return row.Encode()
}
