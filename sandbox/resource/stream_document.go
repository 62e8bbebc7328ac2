package resource

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// streamDocument is the full declaration of a stream for the bearer.
type streamDocument struct {
	Object             string                  `json:"object"` // "stream_metadata"
	Name               string                  `json:"name"`
	PrimaryKey         []string                `json:"primary_key"`
	CursorField        string                  `json:"cursor_field,omitempty"`
	ConsentTimeField   string                  `json:"consent_time_field,omitempty"`
	Schema             dataSchema              `json:"schema"`
	FieldCapabilities  object[fieldCapability] `json:"field_capabilities"`
	ExpandCapabilities []expandCapability      `json:"expand_capabilities"`
	Views              []viewDocument          `json:"views"`
	Relationships      []relationship          `json:"relationships"`
	Query              any                     `json:"query"` // queryDocument; an empty object for bare streams
	Freshness          freshness               `json:"freshness"`
	InstanceIDs        []string                `json:"instance_ids"`
	TimeConstraint     *timeConstraint         `json:"time_constraint,omitempty"`
	GrantedConnections []grantedConnection     `json:"granted_connections,omitempty"`
}

// timeConstraint is the time range that a grant is limited to, Since inclusive and Until exclusive.
type timeConstraint struct {
	Field string `json:"field"`
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"`
}

// dataSchema is the JSON Schema of a record's data.
type dataSchema struct {
	Type                 string              `json:"type"` // "object"
	Properties           object[fieldSchema] `json:"properties"`
	Required             []string            `json:"required,omitzero"`
	AdditionalProperties bool                `json:"additionalProperties"`
}

type viewDocument struct {
	ID     string   `json:"id"`
	Label  string   `json:"label"`
	Fields []string `json:"fields"`
}

type relationship struct {
	Name        string `json:"name"`
	Stream      string `json:"stream"`
	ForeignKey  string `json:"foreign_key"`
	Cardinality string `json:"cardinality"`
}

// expandCapability reports whether a relation can be expanded, and with which limits.
type expandCapability struct {
	Name                string `json:"name"`
	Stream              string `json:"stream"`
	TargetStream        string `json:"target_stream"`
	Cardinality         string `json:"cardinality"`
	Granted             bool   `json:"granted"`
	Usable              bool   `json:"usable"`
	ForeignKey          string `json:"foreign_key"`
	ChildParentKeyField string `json:"child_parent_key_field,omitempty"`
	DefaultLimit        int    `json:"default_limit,omitempty"`
	MaxLimit            int    `json:"max_limit,omitempty"`
}

func (s *server) streamDocument(c *call, group streamGroup) (streamDocument, error) {
	source := c.shown(group.sources[0])
	measured, err := s.store.Summarize(c.Context(), "", selections(group.sources, nil)...)
	if err != nil {
		return streamDocument{}, err
	}
	stream := source.stream
	document := streamDocument{
		Object: "stream_metadata", Name: stream.Name,
		PrimaryKey: stream.PrimaryKey, CursorField: stream.CursorField, ConsentTimeField: stream.ConsentTimeField,
		Schema: source.dataSchema(), ExpandCapabilities: c.expandCapabilities(source),
		Views: []viewDocument{}, Relationships: []relationship{}, Query: struct{}{},
		Freshness: c.freshness(lastUpdate(measured.LastUpdated)), TimeConstraint: source.timeConstraint(),
	}
	if !c.restricted {
		document.Query, document.Schema.Required = source.queryDocument(), source.required()
	}
	for i := range document.ExpandCapabilities {
		document.ExpandCapabilities[i].ChildParentKeyField = document.ExpandCapabilities[i].ForeignKey
	}
	for _, field := range stream.Fields {
		document.FieldCapabilities = append(document.FieldCapabilities,
			member[fieldCapability]{field.Name, source.fieldCapability(field)})
	}
	for _, view := range stream.Views {
		document.Views = append(document.Views, viewDocument{ID: view.Name, Label: view.Name, Fields: view.Fields})
	}
	for _, relation := range stream.Relations {
		document.Relationships = append(document.Relationships,
			relationship{relation.Name, relation.Target, relation.ForeignKey, relation.Cardinality})
	}
	for _, each := range group.sources {
		document.InstanceIDs = append(document.InstanceIDs, each.connection.ID)
	}
	return document, nil
}

func (s source) dataSchema() dataSchema {
	schema := dataSchema{Type: "object"}
	for _, field := range s.stream.Fields {
		if s.grants(field.Name) {
			schema.Properties = append(schema.Properties, member[fieldSchema]{field.Name, newFieldSchema(field)})
		}
	}
	return schema
}

// required returns the fields that every record has.
func (s source) required() []string {
	return s.fieldsWith(func(field catalog.Field) bool {
		return slices.Contains(s.stream.PrimaryKey, field.Name) || field.Name == s.stream.CursorField && !field.Nullable
	})
}

func (s source) timeConstraint() *timeConstraint {
	if s.since.IsZero() && s.until.IsZero() {
		return nil
	}
	constraint := &timeConstraint{Field: s.stream.ConsentTimeField}
	if !s.since.IsZero() {
		constraint.Since = timestamp(s.since)
	}
	if !s.until.IsZero() {
		constraint.Until = timestamp(s.until)
	}
	return constraint
}

// shown returns a source as the schema describes it to the bearer: in full, or bare if its reads are restricted. A bare
// stream shows only the names of the granted fields and the grant's time limits.
func (c *call) shown(s source) source {
	if !c.restricted {
		return s
	}
	names := slices.Clone(s.fields)
	if names == nil {
		for _, field := range s.stream.Fields {
			names = append(names, field.Name)
		}
		slices.Sort(names)
	}
	bare := catalog.Stream{Name: s.stream.Name, PrimaryKey: []string{}}
	for _, name := range names {
		bare.Fields = append(bare.Fields, catalog.Field{Name: name})
	}
	if s.timeConstraint() != nil {
		bare.ConsentTimeField = s.stream.ConsentTimeField
	}
	s.stream = bare
	return s
}

func (c *call) expandCapabilities(source source) []expandCapability {
	capabilities := []expandCapability{}
	for _, relation := range source.stream.Relations {
		_, err := c.expandTarget(source, relation)
		capability := expandCapability{
			Name: relation.Name, Stream: relation.Target, TargetStream: relation.Target,
			Cardinality: relation.Cardinality, Granted: err == nil, Usable: err == nil, ForeignKey: relation.ForeignKey,
		}
		if relation.Cardinality == "has_many" {
			capability.DefaultLimit, capability.MaxLimit = relation.DefaultLimit, relation.MaxLimit
		}
		capabilities = append(capabilities, capability)
	}
	return capabilities
}

// queryDocument sums up which fields a query may use, and how.
type queryDocument struct {
	Search       searchFields     `json:"search"`
	RangeFilters object[[]string] `json:"range_filters"`
	Aggregations object[any]      `json:"aggregations"` // count: true, and the fields by kind
	Expand       []expandQuery    `json:"expand"`
}

type searchFields struct {
	LexicalFields  []string `json:"lexical_fields"`
	SemanticFields []string `json:"semantic_fields"`
}

type expandQuery struct {
	Name         string `json:"name"`
	DefaultLimit int    `json:"default_limit,omitempty"`
	MaxLimit     int    `json:"max_limit,omitempty"`
}

func (s source) queryDocument() queryDocument {
	lexical := s.fieldsWith(func(f catalog.Field) bool { return f.Lexical })
	document := queryDocument{
		Search:       searchFields{LexicalFields: lexical, SemanticFields: lexical},
		Aggregations: object[any]{{"count", true}},
		Expand:       []expandQuery{},
	}
	for _, field := range s.stream.Fields {
		if s.grants(field.Name) && len(field.Range) > 0 {
			document.RangeFilters = append(document.RangeFilters, member[[]string]{field.Name, field.Range})
		}
	}
	for _, aggregation := range aggregationNames {
		names := s.fieldsWith(func(f catalog.Field) bool { return slices.Contains(f.Aggregations, aggregation) })
		if len(names) > 0 {
			document.Aggregations = append(document.Aggregations, member[any]{aggregation, names})
		}
	}
	for _, relation := range s.stream.Relations {
		query := expandQuery{Name: relation.Name}
		if relation.Cardinality == "has_many" {
			query.DefaultLimit, query.MaxLimit = relation.DefaultLimit, relation.MaxLimit
		}
		document.Expand = append(document.Expand, query)
	}
	return document
}

// fieldsWith returns the names of the granted fields that satisfy a condition.
func (s source) fieldsWith(declared func(catalog.Field) bool) []string {
	names := []string{}
	for _, field := range s.stream.Fields {
		if s.grants(field.Name) && declared(field) {
			names = append(names, field.Name)
		}
	}
	return names
}
