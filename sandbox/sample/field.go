package sample

import "github.com/pdppmcp/pdpp-mcp/sandbox/catalog"

var rangeOperators = []string{"gte", "gt", "lte", "lt"}

// trait adds one property to a field's declaration.
type trait func(*catalog.Field)

func field(name, kind string, traits ...trait) catalog.Field {
	f := catalog.Field{Name: name, Type: kind, Exact: kind != "array" && kind != "object"}
	for _, apply := range traits {
		apply(&f)
	}
	return f
}

func text(name string, traits ...trait) catalog.Field    { return field(name, "string", traits...) }
func integer(name string, traits ...trait) catalog.Field { return field(name, "integer", traits...) }
func number(name string, traits ...trait) catalog.Field  { return field(name, "number", traits...) }
func boolean(name string, traits ...trait) catalog.Field { return field(name, "boolean", traits...) }
func array(name string, traits ...trait) catalog.Field   { return field(name, "array", traits...) }
func object(name string, traits ...trait) catalog.Field  { return field(name, "object", traits...) }

// moment returns an RFC 3339 time that can be compared.
func moment(name string, traits ...trait) catalog.Field {
	return text(name, append([]trait{ranged, format("date-time")}, traits...)...)
}

func nullable(f *catalog.Field) { f.Nullable = true }
func lexical(f *catalog.Field)  { f.Lexical = true }
func ranged(f *catalog.Field)   { f.Range = rangeOperators }

// opaque is text that is too long to filter by its exact value.
func opaque(f *catalog.Field) { f.Exact = false }

func format(name string) trait { return func(f *catalog.Field) { f.Format = name } }
func role(name string) trait   { return func(f *catalog.Field) { f.Role = name } }

func aggregated(metrics ...string) trait {
	return func(f *catalog.Field) { f.Aggregations = metrics }
}
