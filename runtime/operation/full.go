package operation

import (
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/render/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// bulky are the members of a full row, the least telling first, that give way when the row does not fit
// into one result. What they say stands in the field's JSON Schema and in the flags as well.
var bulky = []string{"instance_ids", "freshness", "query", "views", "relationships", "field_capabilities"}

// renderFull shows the exhaustive schema of one source (R-SCH-7), bounded to one result: members that
// say again what others say give way first, then the last fields, and both channels tell.
func renderFull(response *rs.Response, s *schema, input SchemaInput) (*tool.Result, error) {
	calls := s.streamCalls()
	if len(calls) == 0 {
		return notFound(response, s, input), nil
	}
	for dropped := 0; dropped <= len(bulky); dropped++ {
		if result := s.fullResult(response, calls, bulky[:dropped], 10_000); result != nil {
			return result, nil
		}
	}
	for _, fields := range []int{400, 200, 100, 50, 20, 5, 0} {
		if result := s.fullResult(response, calls, bulky, fields); result != nil {
			return result, nil
		}
	}
	return nil, render.Unusable(response, `the full schema does not fit into one result; call schema without detail`, nil)
}

// fullResult is the result without some members and with so many fields, or nil when it is too large.
func (s *schema) fullResult(response *rs.Response, calls []render.Call, dropped []string, fields int) *tool.Result {
	text := s.fullText(calls, dropped, fields)
	if render.Length(text) > render.ChannelCharacters {
		return nil
	}
	members := rawjson.Object{rawjson.Raw("data", s.without(dropped, fields).encode(extents[0], true))}
	if len(dropped) > 0 {
		members = append(members, rawjson.Strings("members_left_out", dropped))
	}
	structured := render.Structured(response, members, calls)
	if render.Length(string(structured)) > render.ChannelCharacters {
		return nil
	}
	return &tool.Result{Text: text, Structured: structured}
}

// without is a copy of the document whose rows lack some members and all but the first fields.
func (s *schema) without(dropped []string, fields int) *schema {
	smaller := &schema{body: s.body, scoped: s.scoped}
	for _, each := range s.connectors {
		c := *each
		c.streams = nil
		for _, row := range each.streams {
			r := *row
			r.members = row.members.Without(dropped...)
			if schema, ok := rawjson.ParseObject(r.members.Get("schema")); ok {
				r.members = r.members.With("schema", firstProperties(schema, fields).Encode())
			}
			c.streams = append(c.streams, &r)
		}
		smaller.connectors = append(smaller.connectors, &c)
	}
	return smaller
}

func firstProperties(schema rawjson.Object, fields int) rawjson.Object {
	properties, _ := rawjson.ParseObject(schema.Get("properties"))
	if len(properties) <= fields {
		return schema
	}
	schema = schema.With("properties", properties[:fields].Encode()).Without("required")
	return append(schema, rawjson.Int("properties_left_out", int64(len(properties)-fields)))
}

// fullText is the row as schema(stream) shows it, then the JSON Schema of each field.
func (s *schema) fullText(calls []render.Call, dropped []string, fields int) string {
	var lines []string
	if len(dropped) > 0 {
		lines = append(lines, fmt.Sprintf("members_left_out=%s: the full row does not fit into one result", rawjson.Strings("", dropped).Value))
	}
	for _, connector := range s.connectors {
		for _, stream := range connector.streams {
			lines = append(lines, connector.streamLines(stream, fields)...)
			lines = append(lines, stream.propertyLines(fields)...)
		}
	}
	lines = append(lines, legend)
	lines = append(lines, render.WarningLines(s.body)...)
	for _, call := range calls {
		lines = append(lines, call.Line())
	}
	return strings.Join(lines, "\n")
}

// propertyLines are the raw JSON Schemas, one field a line.
func (s *stream) propertyLines(fields int) []string {
	schema, _ := rawjson.ParseObject(s.members.Get("schema"))
	properties, _ := rawjson.ParseObject(schema.Get("properties"))
	if len(properties) == 0 {
		return []string{"  json_schema: not advertised"}
	}
	lines := []string{"  json_schema of each field:"}
	for i, property := range properties {
		if i == fields {
			return append(lines, fmt.Sprintf("    fields_left_out=%d", len(properties)-i))
		}
		lines = append(lines, "    "+plainName(property.Name)+" "+string(property.Value))
	}
	if required := schema.Get("required"); required != nil {
		lines = append(lines, "  required="+string(required))
	}
	return lines
}
