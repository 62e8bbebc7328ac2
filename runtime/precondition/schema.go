package precondition

import (
	"encoding/json"
	"slices"
)

// document is the part of a schema answer that the gate needs, compact or full. Older servers wrap
// it in one more data, and put streams beside connectors or in their place.
type document struct {
	Connectors []connector     `json:"connectors"`
	Streams    []row           `json:"streams"`
	Data       json.RawMessage `json:"data"`
}

type connector struct {
	Streams            []row        `json:"streams"`
	GrantedConnections []connection `json:"granted_connections"`
}

type connection struct {
	ID string `json:"connection_id"`
}

// row is one stream of one connector.
type row struct {
	Name               string            `json:"name"`
	Stream             string            `json:"stream"`
	ConnectionID       string            `json:"connection_id"`
	GrantedConnections []connection      `json:"granted_connections"`
	ExpandCapabilities []json.RawMessage `json:"expand_capabilities"`
}

// rowsOf gives the rows of a schema body that match, or none when it cannot be read.
func rowsOf(body json.RawMessage, input ExpandAdvertisedInput) []row {
	var schema document
	if json.Unmarshal(body, &schema) != nil {
		return nil
	}
	if len(schema.Connectors) == 0 && len(schema.Streams) == 0 && len(schema.Data) > 0 {
		if json.Unmarshal(schema.Data, &schema) != nil {
			return nil
		}
	}
	var matching []row
	add := func(rows []row, granted []connection) {
		for _, candidate := range rows {
			if candidate.matches(input, granted) {
				matching = append(matching, candidate)
			}
		}
	}
	for _, source := range schema.Connectors {
		add(source.Streams, source.GrantedConnections)
	}
	add(schema.Streams, nil)
	return matching
}

// matches compares the stream's name and, as far as the row or its connector says, the connection. A
// server that ignores the selectors answers with every stream.
func (r row) matches(input ExpandAdvertisedInput, granted []connection) bool {
	if r.Name != input.Stream && r.Stream != input.Stream {
		return false
	}
	if input.ConnectionID == nil {
		return true
	}
	if r.ConnectionID != "" {
		return r.ConnectionID == *input.ConnectionID
	}
	if len(r.GrantedConnections) > 0 {
		granted = r.GrantedConnections
	}
	return len(granted) == 0 || slices.Contains(granted, connection{*input.ConnectionID})
}

// expands tells whether a relation is advertised as usable. A relation that is a bare name, or that
// does not say whether it is granted and usable, counts as usable.
func (r row) expands() bool {
	return slices.ContainsFunc(r.ExpandCapabilities, func(raw json.RawMessage) bool {
		relation := struct{ Granted, Usable *bool }{}
		if json.Unmarshal(raw, &relation) != nil {
			return raw[0] == '"'
		}
		refused := func(said *bool) bool { return said != nil && !*said }
		return !refused(relation.Granted) && !refused(relation.Usable)
	})
}
