package store

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// Selection restricts a query to records of one stream of one connection.
type Selection struct {
	ConnectionID string
	Stream       string
	// Since and Until bound the consent time: Since inclusive, Until exclusive; zero means open. A record without
	// a consent time is outside every bound.
	Since, Until time.Time
	Keys         []string // nil: all records
	Conditions   []Condition
}

// Condition compares a field of a record's data with an operand.
type Condition struct {
	Field    catalog.Field
	Operator string // eq, gte, gt, lte or lt
	// Operand of eq is the text of a value as JavaScript writes it, null and undefined too; otherwise it is an int64 or a
	// float64, or a time.Time. A record without the field, or with null in it, meets no comparison.
	Operand any
}

// comparisons are the SQL operators by the names in Condition.
var comparisons = map[string]string{"eq": "=", "gte": ">=", "gt": ">", "lte": "<=", "lt": "<"}

// clause is a piece of SQL and the arguments of its placeholders.
type clause struct {
	sql       strings.Builder
	arguments []any
}

func (c *clause) add(sql string, arguments ...any) {
	c.sql.WriteString(sql)
	c.arguments = append(c.arguments, arguments...)
}

// where adds the conditions of the selection. Deleted records meet them too.
func (s Selection) where(c *clause) {
	c.add("connection_id = ? AND stream = ?", s.ConnectionID, s.Stream)
	if !s.Since.IsZero() {
		c.add(" AND consent_time >= ?", instantText(s.Since))
	}
	if !s.Until.IsZero() {
		c.add(" AND consent_time < ?", instantText(s.Until))
	}
	if s.Keys != nil {
		keys, _ := json.Marshal(s.Keys) // strings always encode
		c.add(" AND key IN (SELECT value FROM json_each(?))", string(keys))
	}
	for _, condition := range s.Conditions {
		condition.where(c)
	}
}

// whereLive adds the condition that a live record meets one of the selections.
func whereLive(c *clause, selections []Selection) {
	c.add("deleted_at IS NULL AND (")
	for i, selection := range selections {
		if i > 0 {
			c.add(" OR ")
		}
		c.add("(")
		selection.where(c)
		c.add(")")
	}
	if len(selections) == 0 {
		c.add("FALSE")
	}
	c.add(")")
}

func (condition Condition) where(c *clause) {
	comparison, ok := comparisons[condition.Operator]
	if !ok {
		c.add(" AND FALSE")
		return
	}
	path := jsonPath(condition.Field.Name)
	switch operand := condition.Operand.(type) {
	case time.Time:
		c.add(" AND instant(json_extract(data, ?)) "+comparison+" ?", path, instantText(operand))
	case string:
		c.add(" AND value_text(data -> ?) "+comparison+" ?", path, operand)
	default:
		c.add(" AND json_extract(data, ?) "+comparison+" ? AND json_type(data, ?) IN ('integer', 'real')",
			path, operand, path)
	}
}

// jsonPath returns the JSON path of a top-level key with any characters.
func jsonPath(field string) string {
	return `$."` + strings.ReplaceAll(field, `"`, `\"`) + `"`
}
