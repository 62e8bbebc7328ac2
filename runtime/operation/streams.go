package operation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/render/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// renderStreams shows each source's row of one stream and what it supports (R-SCH-3).
func renderStreams(response *rs.Response, s *schema, input SchemaInput) (*tool.Result, error) {
	calls := s.streamCalls()
	if len(calls) == 0 {
		return notFound(response, s, input), nil
	}
	for _, shown := range extents {
		text := s.streamsText(shown, calls)
		if render.Length(text) > render.ChannelCharacters {
			continue
		}
		members := rawjson.Object{rawjson.Raw("data", s.encode(shown, false))}
		structured := render.Structured(response, members, calls)
		if render.Length(string(structured)) <= render.ChannelCharacters {
			return &tool.Result{Text: text, Structured: structured}, nil
		}
	}
	return nil, render.Unusable(response, "the schema of this stream does not fit into one result; name its connection_id", nil)
}

// notFound says that nothing matches; the document of the RS says it in structured output.
func notFound(response *rs.Response, s *schema, input SchemaInput) *tool.Result {
	index := render.Call{Tool: "schema", Arguments: rawjson.Object{}}
	said := "No granted stream matches " + render.Token("stream", *input.Stream)
	if input.ConnectionID != nil {
		said += " " + render.Token("connection_id", *input.ConnectionID)
	}
	members := rawjson.Object{rawjson.Raw("data", s.encodeIndex(asCounts))}
	return &tool.Result{
		Text:       said + ". The index lists what is granted:\n" + index.Line(),
		Structured: render.Structured(response, members, []render.Call{index}),
	}
}

// streamCalls try the stream out: a short page of the first source, and a count. There are none
// without a row.
func (s *schema) streamCalls() []render.Call {
	at := slices.IndexFunc(s.connectors, func(c *connector) bool { return len(c.streams) > 0 })
	if at < 0 {
		return nil
	}
	connector := s.connectors[at]
	stream := connector.streams[0]
	arguments := rawjson.Object{rawjson.String("stream", stream.name)}
	if connections := connector.connectionsOf(stream); len(connections) > 0 {
		arguments = append(arguments, rawjson.String("connection_id", connections[0].id))
	}
	return []render.Call{
		{Tool: "query_records", Arguments: arguments.With("limit", rawjson.Value("5"))},
		{Tool: "aggregate", Arguments: arguments.With("metric", rawjson.Quote("count"))},
	}
}

func (s *schema) streamsText(shown extent, calls []render.Call) string {
	lines, rows, total := []string{}, 0, 0
	for _, connector := range s.connectors {
		for _, stream := range connector.streams {
			if total++; rows < shown.rows {
				rows++
				lines = append(lines, connector.streamLines(stream, shown.fields)...)
			}
		}
	}
	if rows < total {
		lines = append(lines, fmt.Sprintf("rows_left_out=%d: name a connection_id to read one row.", total-rows))
	}
	lines = append(lines, legend)
	lines = append(lines, render.WarningLines(s.body)...)
	for _, call := range calls {
		lines = append(lines, call.Line())
	}
	return strings.Join(lines, "\n")
}

// streamLines show one row: where it comes from, its fields, and what can be asked of it.
func (c *connector) streamLines(s *stream, fieldsShown int) []string {
	fields := s.fields()
	lines := []string{render.Token("stream", s.name) + " " + render.Token("connector_key", clip(c.key))}
	connections := c.connectionsOf(s)
	for i, connection := range connections {
		if i == connectionsShown {
			lines = append(lines, fmt.Sprintf("  more_connections=%d", len(connections)-i))
			break
		}
		lines = append(lines, "  source "+connection.tokens())
	}
	if key := s.members.Get("primary_key"); key != nil && len(key) > len("[]") && len(key) <= memberBytes {
		lines = append(lines, "  "+render.RawToken("primary_key", key))
	}
	lines = append(lines, fmt.Sprintf("  fields=%d, flags explained below:", len(fields)))
	for i, field := range fields {
		if i == fieldsShown {
			lines = append(lines, fmt.Sprintf("    fields_left_out=%d", len(fields)-i))
			break
		}
		lines = append(lines, "    "+plainName(field.name)+" "+clip(field.flags))
	}
	return append(lines, s.supportLines(fields)...)
}

// supportLines tell what query_records, search and aggregate take. What is not advertised is said to be
// just that, not to be absent.
func (s *stream) supportLines(fields []field) []string {
	lines := []string{}
	if !advertised(fields) {
		lines = append(lines, "  capabilities are not advertised to this token: filter, sort, search and aggregate "+
			"may work all the same; try them, the server refuses what it does not support")
	}
	lines = append(lines,
		"  projection: fields takes any of the names above",
		"  sort: "+s.sort(),
		"  count: none, estimated or exact",
		"  expand: "+s.expand(),
		"  search: lexical="+fieldNames(fields, func(f field) bool { return f.has("lex") })+
			" semantic="+fieldNames(fields, func(f field) bool { return f.has("sem") }),
	)
	return append(lines, "  aggregate: metric count"+aggregates(fields))
}

// sort is what cursor_field implies; servers advertise nothing else (R-SCH-3).
func (s *stream) sort() string {
	cursor := s.members.Text("cursor_field")
	if cursor == "" {
		return "no cursor_field is advertised, so no sort field is known; order asc or desc follows the server's own order"
	}
	cursor = clip(cursor)
	return render.Token("cursor_field", cursor) + " implies sort " + string(rawjson.Quote(cursor)) + " or " +
		string(rawjson.Quote("-"+cursor)) + "; order asc or desc says the same"
}

// relationsShown bounds the relations of a row in text.
const relationsShown = 50

func (s *stream) expand() string {
	relations, _ := rawjson.Elements(s.members.Get("expand_capabilities"))
	var shown []string
	for i, value := range relations {
		if i == relationsShown {
			shown = append(shown, fmt.Sprintf("and %d more", len(relations)-i))
			break
		}
		relation, _ := rawjson.ParseObject(value)
		name := clip(relation.Text("name"))
		if name == "" {
			continue
		}
		shown = append(shown, name+relationDetails(relation))
	}
	if len(shown) == 0 {
		return "no relations are advertised"
	}
	return strings.Join(shown, ", ")
}

func relationDetails(relation rawjson.Object) string {
	var details []string
	if cardinality := clip(relation.Text("cardinality")); cardinality != "" {
		details = append(details, cardinality)
	}
	for _, name := range []string{"default_limit", "max_limit"} {
		if limit, ok := relation.Int(name); ok {
			details = append(details, fmt.Sprintf("%s %d", name, limit))
		}
	}
	if string(relation.Get("usable")) == "false" || string(relation.Get("granted")) == "false" {
		details = append(details, "not usable with this grant")
	}
	if len(details) == 0 {
		return ""
	}
	return " (" + strings.Join(details, ", ") + ")"
}

func fieldNames(fields []field, wanted func(field) bool) string {
	var names []string
	for _, field := range fields {
		if wanted(field) {
			names = append(names, plainName(field.name))
		}
	}
	if len(names) == 0 {
		return "none advertised"
	}
	return strings.Join(names, ",")
}

// aggregates lists the fields of each metric and grouping.
func aggregates(fields []field) string {
	var out strings.Builder
	for _, metric := range []string{"sum", "min", "max", "count_distinct", "group_by", "group_by_time"} {
		var names []string
		for _, field := range fields {
			for _, own := range field.values("a") {
				if own == metric {
					names = append(names, plainName(field.name))
				}
			}
		}
		if len(names) > 0 {
			fmt.Fprintf(&out, "; %s of %s", metric, strings.Join(names, ","))
		}
	}
	return out.String()
}
