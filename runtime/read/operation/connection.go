package operation

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// nameBytes is the maximum length of a connection_id or a field name that is shown. Longer ones are only counted.
const nameBytes = 200

// shownConnections returns the first connections that can be shown, up to a limit, and the number of the others.
func shownConnections(connections []schemadoc.Connection, limit int) (shown []schemadoc.Connection, leftOut int) {
	for _, c := range connections {
		if len(shown) < limit && len(c.ID) <= nameBytes {
			shown = append(shown, c)
		}
	}
	return shown, len(connections) - len(shown)
}

func describe(c schemadoc.Connection, characters int) rawjson.Object {
	return rawjson.Texts("connection_id", c.ID, "display_name", tool.Clip(c.Label, characters))
}

// withConnections appends the first connections up to a limit, encoded by write, and the number of the others.
func withConnections(members rawjson.Object, connections []schemadoc.Connection, limit int, write func(schemadoc.Connection) rawjson.Object) rawjson.Object {
	shown, leftOut := shownConnections(connections, limit)
	rows := make([]rawjson.Value, len(shown))
	for i, connection := range shown {
		rows[i] = write(connection).Encode()
	}
	if len(rows) > 0 {
		members = append(members, rawjson.Raw("granted_connections", rawjson.Array(rows)))
	}
	return withLeftOut(members, "connections_left_out", leftOut)
}

// withLeftOut appends the number of entries that are left out, unless it is 0.
func withLeftOut(members rawjson.Object, name string, count int) rawjson.Object {
	if count > 0 {
		members = append(members, rawjson.Int(name, int64(count)))
	}
	return members
}

// keyOf returns the key of a connector, up to a number of characters, or "unknown".
func keyOf(c *schemadoc.Connector, characters int) string {
	return tool.Clip(cmp.Or(c.Key, "unknown"), characters)
}

// shortKey returns the beginning of a connector's key that takes up to a number of bytes in a list of names, or a dash.
func shortKey(c *schemadoc.Connector, bytes int) string {
	key := keyOf(c, bytes)
	for len(render.ListedName(key)) > bytes && key != "" {
		_, last := utf8.DecodeLastRuneInString(key)
		key = key[:len(key)-last]
	}
	return cmp.Or(key, "-")
}

// ambiguous returns the refusal to choose between several connections (R-SCH-7), or nil if the document has only one. The candidates are
// limited where the error becomes a result (R-ERR-5).
func ambiguous(d *schemadoc.Document, stream string) *tool.Error {
	candidates := []rawjson.Value{}
	seen := map[string]bool{}
	for connector, row := range d.Rows() {
		for _, connection := range connector.ConnectionsOf(row) {
			if !seen[connection.ID] {
				seen[connection.ID] = true
				candidates = append(candidates, encodeCandidate(d, connector, connection, stream))
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
	return rawjson.Texts("connection_id", connection.ID, "grant_id", cmp.Or(own.Text("grant_id"), d.GrantID()), "connector_key", connector.Key,
		"stream", stream, "display_name", tool.Clip(connection.Label, tool.LabelCharacters)).Encode()
}
