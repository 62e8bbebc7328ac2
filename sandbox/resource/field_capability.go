package resource

import (
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// aggregationNames are the aggregations that a field can declare, as the schema lists them.
var aggregationNames = []string{"count_distinct", "group_by", "group_by_time", "max", "min", "sum"}

// fieldSchema is the JSON Schema of one field.
type fieldSchema struct {
	Type   any    `json:"type,omitempty"` // the name of a type, or a list of names
	Format string `json:"format,omitempty"`
	Role   string `json:"x_pdpp_role,omitempty"`
}

func newFieldSchema(field catalog.Field) fieldSchema {
	schema := fieldSchema{Format: field.Format, Role: field.Role}
	types := strings.Split(field.Type, "|")
	if field.Nullable {
		types = append(types, "null")
	}
	switch {
	case len(types) > 1:
		schema.Type = types
	case field.Type != "":
		schema.Type = field.Type
	}
	return schema
}

// fieldCapability describes what a bearer can do with a field. For a bare field it omits filters.
type fieldCapability struct {
	Role           string             `json:"role,omitempty"`
	Granted        bool               `json:"granted"`
	Schema         fieldSchema        `json:"schema"`
	ExactFilter    *capability        `json:"exact_filter,omitempty"`
	RangeFilter    *rangeCapability   `json:"range_filter,omitempty"`
	LexicalSearch  capability         `json:"lexical_search"`
	SemanticSearch capability         `json:"semantic_search"`
	Aggregation    object[capability] `json:"aggregation"`
}

// capability is declared by the connector, and usable when the field is granted too.
type capability struct {
	Declared bool `json:"declared"`
	Usable   bool `json:"usable"`
}

type rangeCapability struct {
	capability
	Operators []string `json:"operators,omitempty"`
}

func (s source) fieldCapability(field catalog.Field) fieldCapability {
	granted := s.grants(field.Name)
	when := func(declared bool) capability { return capability{Declared: declared, Usable: declared && granted} }
	described := fieldCapability{
		Role: field.Role, Granted: granted, Schema: newFieldSchema(field),
		LexicalSearch: when(field.Lexical), SemanticSearch: when(field.Lexical),
	}
	if field.Type != "" {
		exact := when(field.Exact)
		described.ExactFilter = &exact
		described.RangeFilter = &rangeCapability{when(len(field.Range) > 0), field.Range}
	}
	for _, name := range aggregationNames {
		described.Aggregation = append(described.Aggregation,
			member[capability]{name, when(slices.Contains(field.Aggregations, name))})
	}
	return described
}

// compactStream is a stream in the compact schema. It names its connections when they are fewer than the connector's.
type compactStream struct {
	Name               string             `json:"name"`
	PrimaryKey         []string           `json:"primary_key"`
	CursorField        string             `json:"cursor_field,omitempty"`
	FieldCapabilities  object[string]     `json:"field_capabilities"`
	ExpandCapabilities []expandCapability `json:"expand_capabilities"`

	GrantedConnections []grantedConnection `json:"granted_connections,omitempty"`
}

func (c *call) compactStream(source source) compactStream {
	source = c.shown(source)
	compact := compactStream{
		Name: source.stream.Name, PrimaryKey: source.stream.PrimaryKey, CursorField: source.stream.CursorField,
		ExpandCapabilities: c.expandCapabilities(source),
	}
	for _, field := range source.stream.Fields {
		compact.FieldCapabilities = append(compact.FieldCapabilities, member[string]{field.Name, source.flags(field)})
	}
	return compact
}

// flags returns a field's capabilities as a comma-separated list: t= its type, role=, eq for exact filters, r= the
// range operators, lex and sem for the searches, a= the aggregations, and g=false for a field that is not
// granted and so has none of them.
func (s source) flags(field catalog.Field) string {
	if field.Type == "" {
		return "declared"
	}
	fieldType := field.Type
	if field.Nullable {
		fieldType += "|null"
	}
	flags := []string{"t=" + fieldType}
	if field.Role != "" {
		flags = append(flags, "role="+field.Role)
	}
	if !s.grants(field.Name) {
		return strings.Join(append(flags, "g=false"), ",")
	}
	if field.Exact {
		flags = append(flags, "eq")
	}
	if len(field.Range) > 0 {
		flags = append(flags, "r="+strings.Join(field.Range, "|"))
	}
	if field.Lexical {
		flags = append(flags, "lex", "sem")
	}
	if len(field.Aggregations) > 0 {
		flags = append(flags, "a="+strings.Join(field.Aggregations, "|"))
	}
	return strings.Join(flags, ",")
}
