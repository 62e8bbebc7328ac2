package schema

import (
	"cmp"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// shownConnections returns the first connections that can be shown, up to a limit, and the number of the others.
func shownConnections(connections []schemadoc.Connection, limit int) (shown []schemadoc.Connection, leftOut int) {
	for _, c := range connections {
		if len(shown) < limit && len(c.ID) <= answer.LongestName {
			shown = append(shown, c)
		}
	}
	return shown, len(connections) - len(shown)
}

func describe(found *answer.Schema, c schemadoc.Connection, characters int) rawjson.Object {
	return append(rawjson.Texts(wire.ConnectionID, c.ID, "display_name", tool.Clip(c.Label, characters)), describeGrant(found, c)...)
}

// describeGrant returns the grant of a connection and its limits, if several grants cover the connection (R-CLAIM-2).
func describeGrant(found *answer.Schema, c schemadoc.Connection) rawjson.Object {
	limits, isShared := found.Overlaps[answer.GrantedConnection{GrantID: c.GrantID, ConnectionID: c.ID}]
	if !isShared {
		return nil
	}
	return rawjson.Texts("grant_id", c.GrantID, "granted_only", render.Limits(limits))
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
