package audit

import (
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// note takes what an answer confirms out of it. Response is nil for a read that failed, which confirms nothing: a name in its
// request may be anything that a model wrote.
func (c *Call) note(request rs.Request, response *rs.Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entry.Reads++
	if response == nil {
		return
	}
	for _, grant := range response.GrantIDs {
		c.entry.GrantIDs = addName(c.entry.GrantIDs, grant)
	}
	route := request.Path.Route()
	c.entry.Streams = addName(c.entry.Streams, route.Stream)
	switch route.Template {
	case rs.SchemaRoute:
		c.noteSchema(request, response)
	case rs.SearchRoute, rs.SemanticRoute, rs.HybridRoute:
		c.notePage(request, response, false)
	case rs.RecordsRoute:
		c.notePage(request, response, true)
	case rs.RecordRoute:
		c.noteRows(func(int) rawjson.Cursor { return rawjson.NewCursor(unwrapped(response)) }, 1, request, true)
	case rs.AggregateRoute:
		c.noteConnection(request)
		c.noteUsed(request)
		aggregate, _ := rawjson.ParseObject(unwrapped(response))
		for _, name := range []string{"field", "group_by", "group_by_time"} {
			c.noteEcho(aggregate, name, asked(request, name))
		}
	case rs.WindowRoute:
		c.entry.RecordsRead++
		c.noteConnection(request)
		window, _ := rawjson.ParseObject(unwrapped(response))
		field, _ := rawjson.ParseObject(window.Get("field"))
		c.noteEcho(field, "path", asked(request, "field"))
	}
}

// notePage takes the names out of a page of records or of hits.
func (c *Call) notePage(request rs.Request, response *rs.Response, areRecords bool) {
	list, err := response.List()
	if err != nil {
		return
	}
	if areRecords || len(list.Rows) > 0 { // a source of a search that lacks the field is passed over (789d)
		c.noteUsed(request)
	}
	c.noteRows(list.Cursor, len(list.Rows), request, areRecords)
}

// noteRows takes the names out of records or hits. Records are whole unless some fields were wanted.
func (c *Call) noteRows(row func(int) rawjson.Cursor, rows int, request rs.Request, areRecords bool) {
	c.entry.RecordsRead += rows
	wanted := asked(request, "fields")
	if areRecords && wanted == nil && rows > 0 {
		c.entry.Fields = addName(c.entry.Fields, AllFields)
	}
	for i := range rows {
		c.noteRow(row(i), wanted)
	}
}

// noteUsed adds the fields by which an answer was filtered and ordered. A server refuses one that it does not have (767b, 770j).
func (c *Call) noteUsed(request rs.Request) {
	for _, parameter := range request.Query.Parameters() {
		if field, isFilter := strings.CutPrefix(parameter.Name, "filter["); isFilter {
			field, _, _ = strings.Cut(field, "]")
			c.entry.Fields = addName(c.entry.Fields, field)
		}
	}
	order, _ := request.Query.Get("sort")
	c.entry.Fields = addName(c.entry.Fields, strings.TrimPrefix(order, "-"))
}

// noteSchema adds the stream and the connection whose schema was asked for and is there. A schema of the whole grant names none.
func (c *Call) noteSchema(request rs.Request, response *rs.Response) {
	stream, isOne := request.Query.Get("stream")
	connection, isOfOne := request.Query.Get("connection_id")
	if !isOne && !isOfOne {
		return
	}
	document, err := schemadoc.Read(response)
	if err != nil {
		return
	}
	names := document.Names()
	if slices.Contains(names.Streams(""), stream) {
		c.entry.Streams = addName(c.entry.Streams, stream)
	}
	if slices.ContainsFunc(names.Connections(""), func(known schemadoc.NamedConnection) bool { return known.ID == connection }) {
		c.entry.Connections = addName(c.entry.Connections, connection)
	}
}

// noteRow takes the names out of a record or a hit: where it comes from, which of the wanted fields it has, and in which it was
// found.
func (c *Call) noteRow(cursor rawjson.Cursor, wanted []string) {
	for inside := cursor.Enter(rawjson.ObjectValue); inside && cursor.More(); {
		switch string(cursor.Name()) {
		case "stream":
			c.entry.Streams = addText(c.entry.Streams, cursor.Value())
		case "connection_id":
			c.entry.Connections = addText(c.entry.Connections, cursor.Value())
		case "matched_fields":
			for inside := cursor.Enter(rawjson.ArrayValue); inside && cursor.More(); {
				c.entry.Fields = addText(c.entry.Fields, cursor.Value())
			}
		case "data":
			if c.lacks(wanted) {
				c.noteFields(&cursor, wanted)
				continue
			}
			cursor.Value()
		default:
			cursor.Value()
		}
	}
}

// lacks reports whether one of the wanted fields was not noted yet.
func (c *Call) lacks(wanted []string) bool {
	return slices.ContainsFunc(wanted, func(name string) bool { return !slices.Contains(c.entry.Fields, name) })
}

// noteFields passes the data of a record, and adds those of its members that were wanted.
func (c *Call) noteFields(cursor *rawjson.Cursor, wanted []string) {
	for inside := cursor.Enter(rawjson.ObjectValue); inside && cursor.More(); {
		name := cursor.Name()
		if place := slices.IndexFunc(wanted, func(each string) bool { return each == string(name) }); place >= 0 {
			c.entry.Fields = addName(c.entry.Fields, wanted[place])
		}
		cursor.Value()
	}
}

// addText is addName for a name as JSON, which most rows repeat.
func addText(names []string, quoted rawjson.Value) []string {
	for _, name := range names {
		if len(quoted) == len(name)+2 && string(quoted[1:len(quoted)-1]) == name {
			return names
		}
	}
	name, _ := rawjson.Text(quoted)
	return addName(names, name)
}

// noteConnection adds the connection of a request that reads one: with another one it would have been refused (065).
func (c *Call) noteConnection(request rs.Request) {
	connection, _ := request.Query.Get("connection_id")
	c.entry.Connections = addName(c.entry.Connections, connection)
}

// noteEcho adds a field that the request named and the answer names too.
func (c *Call) noteEcho(answer rawjson.Object, member string, wanted []string) {
	if name := answer.Text(member); slices.Contains(wanted, name) {
		c.entry.Fields = addName(c.entry.Fields, name)
	}
}

// asked are the names in a parameter of a request.
func asked(request rs.Request, name string) []string {
	names, _ := request.Query.Get(name)
	if names == "" {
		return nil
	}
	return strings.Split(names, ",")
}

// unwrapped is the body, or the object in data in which older servers wrap it.
func unwrapped(response *rs.Response) rawjson.Value {
	body, _ := rawjson.ParseObject(response.Compact())
	inner, isObject := rawjson.ParseObject(body.Get("data"))
	if isObject && body.Get("stream") == nil && (inner.Get("stream") != nil || rawjson.Kind(inner.Get("data")) == rawjson.ObjectValue) {
		return body.Get("data")
	}
	return response.Compact()
}
