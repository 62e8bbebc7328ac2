package audit

import (
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
)

// note records the streams, connections and fields that a response confirms. Response is nil for a failed read, which
// confirms nothing: a model may have written anything into its request.
func (c *Call) note(request rs.Request, response *rs.Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if response == nil || !response.IsKept {
		c.entry.Reads++
	}
	if response == nil {
		return
	}
	c.noteOrigin(response.ProviderURL, response.GrantIDs)
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
		c.noteRows([]rawjson.Row{unwrapped(response)}, request, true)
	case rs.AggregateRoute:
		c.noteConnection(request)
		c.noteUsedFields(request)
		aggregate := unwrapped(response).Members
		for _, name := range []string{wire.Field, wire.GroupBy, wire.GroupByTime} {
			c.noteEcho(aggregate, name, namesIn(request, name))
		}
	case rs.WindowRoute:
		c.entry.RecordsRead++
		c.noteConnection(request)
		field, _ := rawjson.ParseObject(unwrapped(response).Members.Get(wire.Field))
		c.noteEcho(field, "path", namesIn(request, wire.Field))
	}
}

// noteMerged records an answer that several sources gave together, or a read that failed.
func (c *Call) noteMerged(request rs.Request, found answer.Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entry.Reads++
	switch merged := found.(type) {
	case *answer.Hits:
		c.noteOrigin(merged.ProviderURL, merged.GrantIDs)
		rows := make([]rawjson.Row, len(merged.Hits))
		for i, hit := range merged.Hits {
			rows[i].Members = hit.Members
		}
		if len(rows) > 0 {
			c.noteUsedFields(request)
		}
		c.noteRows(rows, request, false)
	case *answer.Schema:
		if merged != nil {
			c.noteOrigin(merged.ProviderURL, merged.GrantIDs)
			c.noteScope(request, merged.Document)
		}
	case *answer.Streams:
		if merged != nil {
			c.noteOrigin(merged.ProviderURL, merged.GrantIDs)
		}
	}
}

func (c *Call) noteOrigin(provider string, grants []string) {
	if !slices.Contains(c.providers, provider) {
		c.providers = append(c.providers, provider)
	}
	for _, grant := range grants {
		c.entry.GrantIDs = addName(c.entry.GrantIDs, grant)
	}
}

func (c *Call) notePage(request rs.Request, response *rs.Response, areRecords bool) {
	rows, err := response.Rows()
	if err != nil {
		return
	}
	if areRecords || len(rows) > 0 { // a search skips sources without the field (789d)
		c.noteUsedFields(request)
	}
	c.noteRows(rows, request, areRecords)
}

// noteRows records the names in records or hits: where each comes from, which requested fields it has, and in which it
// matched. Records are whole unless the request names fields.
func (c *Call) noteRows(rows []rawjson.Row, request rs.Request, areRecords bool) {
	c.entry.RecordsRead += len(rows)
	requested := namesIn(request, wire.Fields)
	if areRecords && requested == nil && len(rows) > 0 {
		c.entry.Fields = addName(c.entry.Fields, AllFields)
	}
	for _, row := range rows {
		c.entry.Streams = addText(c.entry.Streams, row.Members.Get(wire.Stream))
		c.entry.Connections = addText(c.entry.Connections, row.Members.Get(wire.ConnectionID))
		if c.log == nil { // only the origin is needed
			continue
		}
		matched, _ := rawjson.Elements(row.Members.Get("matched_fields"))
		for _, field := range matched {
			name, _ := rawjson.Text(field)
			c.entry.Fields = addName(c.entry.Fields, name)
		}
		if requested == nil {
			continue
		}
		for _, name := range requested {
			if row.Data.Get(name) != nil {
				c.entry.Fields = addName(c.entry.Fields, name)
			}
		}
	}
}

// noteUsedFields records the fields of filters and of the order. A server refuses unknown ones (767b, 770j).
func (c *Call) noteUsedFields(request rs.Request) {
	for _, parameter := range request.Query.Parameters() {
		if field, isFilter := strings.CutPrefix(parameter.Name, "filter["); isFilter {
			field, _, _ = strings.Cut(field, "]")
			c.entry.Fields = addName(c.entry.Fields, field)
		}
	}
	order, _ := request.Query.Get(wire.Sort)
	c.entry.Fields = addName(c.entry.Fields, strings.TrimPrefix(order, "-"))
}

// noteSchema records the stream and the connection that were requested, if the schema has them.
func (c *Call) noteSchema(request rs.Request, response *rs.Response) {
	stream, _ := request.Query.Get(wire.Stream)
	connection, _ := request.Query.Get(wire.ConnectionID)
	isNoted := func(names []string, name string) bool { return name == "" || slices.Contains(names, name) }
	if isNoted(c.entry.Streams, stream) && isNoted(c.entry.Connections, connection) {
		return // without parsing the document
	}
	if document, err := schemaquery.Read(response); err == nil {
		c.noteScope(request, document)
	}
}

// noteScope records the stream and the connection that a request for a schema names, if the schema has them.
func (c *Call) noteScope(request rs.Request, document *schemadoc.Document) {
	names := document.Names()
	if stream, _ := request.Query.Get(wire.Stream); slices.Contains(names.Streams(""), stream) {
		c.entry.Streams = addName(c.entry.Streams, stream)
	}
	if connection, _ := request.Query.Get(wire.ConnectionID); schemadoc.HasConnection(names.Connections(""), connection) {
		c.entry.Connections = addName(c.entry.Connections, connection)
	}
}

// noteConnection records the connection in the request of a successful read. A wrong one would have been refused (065).
func (c *Call) noteConnection(request rs.Request) {
	connection, _ := request.Query.Get(wire.ConnectionID)
	c.entry.Connections = addName(c.entry.Connections, connection)
}

func (c *Call) noteEcho(answer rawjson.Object, member string, requested []string) {
	if name := answer.Text(member); slices.Contains(requested, name) {
		c.entry.Fields = addName(c.entry.Fields, name)
	}
}

func namesIn(request rs.Request, parameter string) []string {
	names, _ := request.Query.Get(parameter)
	if names == "" {
		return nil
	}
	return strings.Split(names, ",")
}

// unwrapped returns the object of a body. Older servers wrap it once more.
func unwrapped(response *rs.Response) rawjson.Row {
	body := rawjson.ParseRows([]rawjson.Value{response.Compact()})[0]
	isRecord := rawjson.Kind(body.Data.Get("data")) == rawjson.ObjectValue
	if body.Members.Get(wire.Stream) == nil && (isRecord || body.Data.Get(wire.Stream) != nil) {
		return rawjson.ParseRows([]rawjson.Value{body.Members.Get("data")})[0]
	}
	return body
}

// addText adds the text of a JSON string as addName does. It allocates nothing for a known text.
func addText(names []string, value rawjson.Value) []string {
	if rawjson.Kind(value) == rawjson.StringValue && slices.ContainsFunc(names, func(name string) bool { return name == string(value[1:len(value)-1]) }) {
		return names
	}
	return addName(names, rawjson.TextOf(value))
}
