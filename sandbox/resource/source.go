package resource

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// source is the part of one stream of one connection that a bearer may read.
type source struct {
	connector    catalog.Connector
	connection   catalog.Connection
	stream       catalog.Stream
	fields       []string // nil: all
	since, until time.Time
	keys         []string // nil: all records
}

func (s source) grants(field string) bool {
	return s.fields == nil || slices.Contains(s.fields, field)
}

// field returns a declared field of the stream.
func (s source) field(name string) (catalog.Field, bool) {
	for _, field := range s.stream.Fields {
		if field.Name == name {
			return field, true
		}
	}
	return catalog.Field{}, false
}

func (s source) selection(conditions ...store.Condition) store.Selection {
	return store.Selection{
		ConnectionID: s.connection.ID, Stream: s.stream.Name,
		Since: s.since, Until: s.until, Keys: s.keys, Conditions: conditions,
	}
}

func (s source) available() availableConnection {
	return availableConnection{ConnectionID: s.connection.ID, DisplayName: s.connection.DisplayName}
}

// project keeps the named fields of a record's data, in declared order; nil names mean everything granted.
func (s source) project(data json.RawMessage, names []string) (json.RawMessage, error) {
	if names == nil && s.fields == nil {
		return data, nil
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return nil, err
	}
	kept := object[json.RawMessage]{}
	for _, field := range s.stream.Fields {
		value, present := values[field.Name]
		if present && s.grants(field.Name) && (names == nil || slices.Contains(names, field.Name)) {
			kept = append(kept, member[json.RawMessage]{field.Name, value})
		}
	}
	return kept.MarshalJSON()
}

// selections returns the selections of several sources with the same conditions.
func selections(sources []source, conditions []store.Condition) []store.Selection {
	selected := make([]store.Selection, len(sources))
	for i, source := range sources {
		selected[i] = source.selection(conditions...)
	}
	return selected
}

func availableConnections(sources []source) []availableConnection {
	available := make([]availableConnection, len(sources))
	for i, source := range sources {
		available[i] = source.available()
	}
	return available
}
