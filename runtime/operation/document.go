package operation

import (
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// document is a schema document, compact or full, read as far as every view of it needs. What stands in
// the rows is read only for the rows that are shown.
type document struct {
	members    rawjson.Object // of the envelope, without the connectors and the streams
	connectors []*connector
	sent       []byte // the whole body, as long as nothing in it was changed here; else nil
}

// connector is one connector and the streams that the grant gives of it.
type connector struct {
	members     rawjson.Object // without the streams and the connections
	key         string
	streams     []*stream
	connections []connection
	changed     bool // something was taken out here that the server had sent
}

// stream is one row of a connector.
type stream struct {
	row         []byte // the object as the server spelled it, or a string that is the name
	name        string
	connections []connection   // its own; empty when those of the connector hold
	connector   rawjson.Object // the members that name a connector, for rows that stand without one
}

var (
	errNoText    = errors.New("the answer is not JSON in UTF-8")
	errNoObject  = errors.New("the answer is not a JSON object")
	errNoListing = errors.New("the answer has neither connectors nor streams")
)

// memberMaximum bounds one member that is kept, in bytes. A longer one fits into no channel.
const memberMaximum = 4 * render.ChannelCharacters

// parseDocument reads a document in one pass over its tokens, without a copy of the body (R-SCH-2).
// Older servers wrap it in one more data object, or list streams without connectors. A body that is no
// such document is an *rs.Failure.
func parseDocument(response *rs.Response) (*document, error) {
	unusable := func(cause error) error {
		return response.Unusable("the resource server's answer is not a schema: "+cause.Error()+
			"; call schema again, and ask the server's operator if it stays so", cause)
	}
	if !utf8.Valid(response.Body) {
		return nil, unusable(errNoText)
	}
	s := &scanner{text: response.Body}
	if s.peek() != '{' {
		if s.value(); !s.ended() {
			return nil, unusable(errNoText)
		}
		return nil, unusable(errNoObject)
	}
	d := parseEnvelope(s, true)
	if !s.ended() {
		return nil, unusable(errNoText)
	}
	if d == nil {
		return nil, unusable(errNoListing)
	}
	return d, nil
}

// parseEnvelope reads an object that lists connectors or streams, or that wraps such an object in data.
// It is nil when there is neither.
func parseEnvelope(s *scanner, wraps bool) *document {
	d, listed := &document{}, false
	var inner *document
	var rows []*stream
	start := s.at
	s.object(func(name []byte) {
		switch {
		case string(name) == "connectors" && s.peek() == '[':
			connectors := parseConnectors(s)
			if d.connectors == nil { // a repeated member counts once
				d.connectors = connectors
			}
			listed = true
		case string(name) == "streams" && s.peek() == '[':
			rows = append(rows, parseRows(s)...)
			listed = true
		case string(name) == "data" && s.peek() == '{' && wraps:
			inner = parseEnvelope(s, false)
		default:
			d.members = keep(d.members, name, s.value())
		}
	})
	if !listed {
		return inner
	}
	if d.connectors == nil {
		d.connectors = groupRows(rows)
	} else if rows == nil && wraps {
		d.sent = s.text[min(start, s.at):s.at]
	}
	return d
}

// keep adds a member without the whitespace in its value. No name stands twice in a body (rs.Response), so
// none is looked for: that would take long for an object of very many members.
func keep(members rawjson.Object, name []byte, value []byte) rawjson.Object {
	if len(value) == 0 || len(value) > memberMaximum {
		return members
	}
	compact, err := rawjson.Compact(value)
	if err != nil {
		return members
	}
	return append(members, rawjson.Raw(string(name), compact))
}

func parseConnectors(s *scanner) []*connector {
	connectors := []*connector{}
	s.array(func() {
		if s.peek() == '{' {
			connectors = append(connectors, parseConnector(s))
		}
	})
	return connectors
}

func parseConnector(s *scanner) *connector {
	c := &connector{}
	s.object(func(name []byte) {
		switch string(name) {
		case "streams":
			c.streams = append(c.streams, parseRows(s)...)
		case "granted_connections":
			c.connections = parseConnections(s, c.connections)
		default:
			c.members = keep(c.members, name, s.value())
		}
	})
	c.key = keyOf(c.members)
	c.connections = addOwn(c.connections, c.members)
	c.mergeRows()
	c.hoistConnections()
	return c
}

// keyOf is the short name of a connector; older servers name it by its source alone.
func keyOf(members rawjson.Object) string {
	if key := render.ConnectorKey(members); key != "" {
		return key
	}
	source, _ := rawjson.ParseObject(members.Get("source"))
	return render.ConnectorKey(rawjson.Object{rawjson.String("connector_id", source.Text("id"))})
}

func parseRows(s *scanner) []*stream {
	var rows []*stream
	s.array(func() {
		if row := parseRow(s); row != nil && row.name != "" {
			rows = append(rows, row)
		}
	})
	return rows
}

// parseRow reads the name and the sources of a row. A bare string is a row that has only a name.
func parseRow(s *scanner) *stream {
	row := &stream{}
	if s.peek() == '"' {
		row.row = s.value()
		row.name = textOf(row.row)
		return row
	}
	var own, other rawjson.Object
	start := s.at
	s.object(func(name []byte) {
		switch string(name) {
		case "name":
			row.name = firstOf(row.name, textOf(s.value()))
		case "stream":
			other = append(other, rawjson.Raw("stream", s.value()))
		case "granted_connections":
			row.connections = parseConnections(s, row.connections)
		case "connection_id", "display_name":
			own = append(own, rawjson.Raw(string(name), s.value()))
		case "connector_key", "connector_id":
			row.connector = append(row.connector, rawjson.Raw(string(name), s.value()))
		}
	})
	if s.broken {
		return nil
	}
	row.row = s.text[start:s.at:s.at]
	row.name = firstOf(row.name, other.Text("stream"))
	row.connections = addOwn(row.connections, own)
	return row
}

// textOf is the text of a JSON string; copied only, when it holds no escapes.
func textOf(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	if inner := value[1 : len(value)-1]; !slices.Contains(inner, '\\') {
		return string(inner)
	}
	text, _ := rawjson.Text(value)
	return text
}

// groupRows makes connectors of rows that stand without them.
func groupRows(rows []*stream) []*connector {
	connectors := []*connector{}
	byKey := map[string]*connector{}
	for _, row := range rows {
		key := render.ConnectorKey(row.connector)
		c := byKey[key]
		if c == nil {
			c = &connector{key: key}
			if key != "" {
				c.members = rawjson.Object{rawjson.String("connector_key", key)}
			}
			byKey[key] = c
			connectors = append(connectors, c)
		}
		c.streams = append(c.streams, row)
	}
	for _, c := range connectors {
		c.mergeRows()
		c.hoistConnections()
	}
	return connectors
}

// object takes the row apart. It reads every byte of the row, so only rows that are shown are asked.
func (s *stream) object() rawjson.Object {
	if len(s.row) > 0 && s.row[0] == '"' {
		return rawjson.Object{rawjson.String("name", s.name)}
	}
	compact, err := rawjson.Compact(s.row)
	if err != nil {
		return rawjson.Object{rawjson.String("name", s.name)}
	}
	sent, _ := rawjson.ParseObject(compact)
	return firsts(sent)
}

// firsts keeps the first of members that repeat a name.
func firsts(sent rawjson.Object) rawjson.Object {
	seen := make(map[string]bool, len(sent))
	kept := sent[:0:len(sent)]
	for _, member := range sent {
		if !seen[member.Name] {
			seen[member.Name] = true
			kept = append(kept, member)
		}
	}
	return kept
}
