package resource

import (
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// expansion is a relation whose records are embedded in each record.
type expansion struct {
	relation catalog.Relation
	limit    int
}

// expandedList is the expansion of a has_many relation.
type expandedList struct {
	Object  string           `json:"object"` // "list"
	Data    []recordDocument `json:"data"`
	HasMore bool             `json:"has_more"`
}

// expansions returns the relations that a request wants expanded, checked against the source's declaration.
func (c *call) expansions(source source) ([]expansion, error) {
	var expansions []expansion
	for _, name := range c.parameters.all("expand") {
		relation, declared := relationNamed(source.stream.Relations, name)
		if !declared {
			return nil, invalid("invalid_expand", "Unsupported expand relation '%s' on '%s'", name, source.stream.Name)
		}
		limit, err := c.expandLimit(relation)
		if err != nil {
			return nil, err
		}
		expansions = append(expansions, expansion{relation, limit})
	}
	return expansions, c.checkExpandLimits(expansions)
}

func relationNamed(relations []catalog.Relation, name string) (catalog.Relation, bool) {
	for _, relation := range relations {
		if relation.Name == name {
			return relation, true
		}
	}
	return catalog.Relation{}, false
}

// expandLimit returns how many records of a relation to embed in each record.
func (c *call) expandLimit(relation catalog.Relation) (int, error) {
	if relation.Cardinality == "has_one" {
		return 1, nil
	}
	name := "expand_limit[" + relation.Name + "]"
	text, given := c.parameters.first(name)
	if !given {
		return relation.DefaultLimit, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 {
		return 0, invalid("invalid_expand", "%s must be a positive integer", name)
	}
	if limit > relation.MaxLimit {
		return 0, invalid("invalid_expand", "%s exceeds max_limit %d", name, relation.MaxLimit)
	}
	return limit, nil
}

// checkExpandLimits refuses a limit for a relation that is not a list or not expanded.
func (c *call) checkExpandLimits(expansions []expansion) error {
	for _, parameter := range c.parameters.bracketed("expand_limit") {
		usable := false
		for _, expansion := range expansions {
			usable = usable || parameter.name == "expand_limit["+expansion.relation.Name+"]" &&
				expansion.relation.Cardinality == "has_many"
		}
		if !usable {
			return invalid("invalid_expand", "%s needs an expanded has_many relation of that name", parameter.name)
		}
	}
	return nil
}

// expandTarget returns the source that a relation of parent refers to.
func (c *call) expandTarget(parent source, relation catalog.Relation) (source, error) {
	targets := keep(c.readable, func(s source) bool {
		return s.connection.ID == parent.connection.ID && s.stream.Name == relation.Target
	})
	if len(targets) == 0 {
		return source{}, forbidden("grant_stream_not_allowed", "Stream '%s' not in grant", relation.Target)
	}
	return targets[0], targets[0].checkGranted([]string{relation.ForeignKey})
}

// expand returns the related records of one record, by relation name.
func (s *server) expand(c *call, parent source, key string, expansions []expansion) (map[string]any, error) {
	if len(expansions) == 0 {
		return nil, nil
	}
	expanded := map[string]any{}
	for _, expansion := range expansions {
		target, err := c.expandTarget(parent, expansion.relation)
		if err != nil {
			return nil, err
		}
		related := target.selection(store.Condition{
			Field: catalog.Field{Name: expansion.relation.ForeignKey}, Operator: "eq", Operand: key,
		})
		entries, more, err := s.store.Page(c.Context(), related, false, nil, expansion.limit)
		if err != nil {
			return nil, err
		}
		documents, err := target.documents(entries, nil)
		if err != nil {
			return nil, err
		}
		if expansion.relation.Cardinality == "has_many" {
			expanded[expansion.relation.Name] = expandedList{Object: "list", Data: documents, HasMore: more}
		} else if len(documents) > 0 {
			expanded[expansion.relation.Name] = documents[0]
		} else {
			expanded[expansion.relation.Name] = nil
		}
	}
	return expanded, nil
}
