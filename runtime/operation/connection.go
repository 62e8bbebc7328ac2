package operation

import (
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// handleMaximum bounds a connection_id in bytes. A longer one is not shown: it could not be passed on in
// a call of any sense, and it is counted with those that are left out.
const handleMaximum = 200

// usableConnections are the leading connections that can be shown, and how many are left out.
func usableConnections(connections []schemadoc.Connection, most int) (shown []schemadoc.Connection, left int) {
	for _, c := range connections {
		if len(shown) < most && len(c.ID) <= handleMaximum {
			shown = append(shown, c)
		}
	}
	return shown, len(connections) - len(shown)
}

// tokens are a connection in text, its label at most so many characters.
func tokens(c schemadoc.Connection, label int) string {
	tokens := render.Token("connection_id", c.ID)
	if shown := render.Clip(c.Label, label); shown != "" {
		tokens += " " + render.Token("display_name", shown)
	}
	return tokens
}

// brief is a connection in structured output: its id, and its label at most so many characters.
func brief(c schemadoc.Connection, label int) rawjson.Value {
	row := rawjson.Object{rawjson.String("connection_id", c.ID)}
	if shown := render.Clip(c.Label, label); shown != "" {
		row = append(row, rawjson.String("display_name", shown))
	}
	return row.Encode()
}

// verbatim is a connection as the server sent it, save for the deprecated twin of its id.
func verbatim(c schemadoc.Connection) rawjson.Value {
	if members, ok := rawjson.ParseObject(c.Row); ok {
		return members.Without("connector_instance_id").Encode()
	}
	return brief(c, labelCharacters)
}
