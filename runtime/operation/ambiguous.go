package operation

import (
	"cmp"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// candidateBytes is the maximum size of one candidate. Their number is limited where the error becomes a result (R-ERR-5).
const candidateBytes = 2_000

// ambiguous returns the refusal to choose between several connections (R-SCH-7), or nil if the document has only one.
func ambiguous(d *schemadoc.Document, stream string) *tool.Error {
	candidates := []rawjson.Value{}
	seen := map[string]bool{}
	for connector, row := range d.Rows() {
		for _, connection := range connector.ConnectionsOf(row) {
			if seen[connection.ID] {
				continue
			}
			seen[connection.ID] = true
			if candidate := encodeCandidate(d, connector, connection, stream); len(candidate) <= candidateBytes {
				candidates = append(candidates, candidate)
			}
		}
	}
	if len(seen) < 2 {
		return nil
	}
	return &tool.Error{
		Code: tool.AmbiguousConnection,
		Message: fmt.Sprintf("stream %q has %d sources, each with a full schema; %s with the stream alone lists them all",
			tool.Clip(stream, nameBytes), len(seen), tool.SchemaTool),
		Param:                tool.SchemaConnectionID,
		RetryWith:            tool.SchemaConnectionID,
		AvailableConnections: rawjson.Array(candidates),
	}
}

// encodeCandidate writes a connection with the stream and its grant. In a package each connection names its own grant.
func encodeCandidate(d *schemadoc.Document, connector *schemadoc.Connector, connection schemadoc.Connection, stream string) rawjson.Value {
	own, _ := rawjson.ParseObject(connection.Row)
	row := rawjson.Object{rawjson.String("connection_id", connection.ID)}
	for _, member := range []rawjson.Member{
		rawjson.String("grant_id", cmp.Or(own.Text("grant_id"), d.GrantID())),
		rawjson.String("connector_key", connector.Key),
		rawjson.String("stream", stream),
		rawjson.String("display_name", tool.Clip(connection.Label, tool.LabelCharacters)),
	} {
		if string(member.Value) != `""` {
			row = append(row, member)
		}
	}
	return row.Encode()
}
