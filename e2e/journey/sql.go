package journey

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// question is the arguments of a query or an aggregate.
type question struct {
	Stream       string                     `json:"stream"`
	ConnectionID string                     `json:"connection_id"`
	Limit        int                        `json:"limit"`
	Sort         string                     `json:"sort"`
	Fields       []string                   `json:"fields"`
	Filter       map[string]json.RawMessage `json:"filter"`
	Metric       string                     `json:"metric"`
	Field        string                     `json:"field"`
	GroupBy      string                     `json:"group_by"`
	GroupByTime  string                     `json:"group_by_time"`
}

// oracle answers questions with independent SQL over the sandbox's table of records.
type oracle struct {
	t      *testing.T
	db     *sql.DB
	stream catalog.Stream
}

// statement is SQL and the values of its placeholders.
type statement struct {
	sql    strings.Builder
	values []any
}

func (s *statement) add(text string, values ...any) {
	s.sql.WriteString(text)
	s.values = append(s.values, values...)
}

var operators = map[string]string{"gte": ">=", "gt": ">", "lte": "<=", "lt": "<"}

// where selects the records that a question is about.
func (o oracle) where(s *statement, q question) {
	s.add(" WHERE connection_id = ? AND stream = ? AND deleted_at IS NULL", q.ConnectionID, q.Stream)
	for name, condition := range q.Filter {
		var ranges map[string]json.RawMessage
		if json.Unmarshal(condition, &ranges) != nil {
			o.compare(s, name, "=", condition)
			continue
		}
		for operator, value := range ranges {
			o.compare(s, name, operators[operator], value)
		}
	}
}

// compare adds a condition. In ranges times are compared as instants, whatever their zone; else their text is.
func (o oracle) compare(s *statement, name, operator string, operand json.RawMessage) {
	var value any
	if err := json.Unmarshal(operand, &value); err != nil {
		o.t.Fatalf("operand %s: %v", operand, err)
	}
	if operator == "=" {
		s.add(" AND "+stored(name)+" = ?", value)
		return
	}
	s.add(" AND " + o.comparable(name) + " " + operator + " ")
	if text, ok := value.(string); ok && isTime(text) {
		s.add("unixepoch(?, 'subsec')", text)
	} else {
		s.add("?", value)
	}
}

// comparable returns the SQL for a field in the form in which its values are compared.
func (o oracle) comparable(name string) string {
	value := stored(name)
	for _, field := range o.stream.Fields {
		if field.Name == name && field.Format == "date-time" {
			return "unixepoch(" + value + ", 'subsec')"
		}
	}
	return value
}

// stored returns the SQL for a field as it is in the data.
func stored(name string) string { return fmt.Sprintf(`json_extract(data, '$."%s"')`, name) }

func isTime(text string) bool {
	_, err := time.Parse(time.RFC3339Nano, text)
	return err == nil
}

// rows returns the keys and the data of a question's first records, in its order, and the number of all that match.
// The default order is newest first, by the text of the cursor field.
func (o oracle) rows(ctx context.Context, q question) (keys []string, data []map[string]json.RawMessage, count int) {
	field, direction := o.stream.CursorField, "DESC"
	if q.Sort != "" {
		var descending bool
		if field, descending = strings.CutPrefix(q.Sort, "-"); !descending {
			direction = "ASC"
		}
	}
	var s statement
	s.add("SELECT key, data FROM record")
	o.where(&s, q)
	s.add(fmt.Sprintf(" ORDER BY coalesce(%s, '') %s, key %s", stored(field), direction, direction))
	if q.Limit > 0 {
		s.add(" LIMIT ?", q.Limit)
	}
	o.each(ctx, &s, func(rows *sql.Rows) error {
		var key, raw string
		if err := rows.Scan(&key, &raw); err != nil {
			return err
		}
		var fields map[string]json.RawMessage
		err := json.Unmarshal([]byte(raw), &fields)
		keys, data = append(keys, key), append(data, fields)
		return err
	})
	var all statement
	all.add("SELECT count(*) FROM record")
	o.where(&all, q)
	o.each(ctx, &all, func(rows *sql.Rows) error { return rows.Scan(&count) })
	return keys, data, count
}

// value computes a metric.
func (o oracle) value(ctx context.Context, q question) json.RawMessage {
	value := fmt.Sprintf(`json_extract(data, '$."%s"')`, q.Field)
	var s statement
	switch q.Metric {
	case "count":
		s.add("SELECT count(*) FROM record")
	case "count_distinct":
		s.add("SELECT count(DISTINCT " + value + ") FROM record")
	case "sum":
		s.add("SELECT coalesce(sum(" + value + "), 0) FROM record")
	case "min", "max":
		s.add("SELECT json_quote(" + value + ") FROM record")
	}
	o.where(&s, q)
	if q.Metric == "min" || q.Metric == "max" {
		s.add(" AND " + value + " IS NOT NULL ORDER BY " + o.comparable(q.Field))
		if q.Metric == "max" {
			s.add(" DESC")
		}
		s.add(" LIMIT 1")
	}
	answer := "null"
	o.each(ctx, &s, func(rows *sql.Rows) error { return rows.Scan(&answer) })
	return json.RawMessage(answer)
}

// groups counts by a field's value, or by the month of its time in UTC, and returns JSON keys.
func (o oracle) groups(ctx context.Context, q question) map[string]int {
	var s statement
	if q.GroupByTime != "" {
		s.add(
			fmt.Sprintf(`SELECT json_quote(strftime('%%Y-%%m-01', json_extract(data, '$."%s"'))) AS name, count(*) FROM record`,
				q.GroupByTime))
	} else {
		s.add(fmt.Sprintf(`SELECT coalesce(data -> '$."%s"', 'null') AS name, count(*) FROM record`, q.GroupBy))
	}
	o.where(&s, q)
	s.add(" GROUP BY name")
	groups := map[string]int{}
	o.each(ctx, &s, func(rows *sql.Rows) error {
		var name string
		var count int
		err := rows.Scan(&name, &count)
		groups[sameSpelling(json.RawMessage(name))] = count
		return err
	})
	return groups
}

func (o oracle) each(ctx context.Context, s *statement, take func(*sql.Rows) error) {
	o.t.Helper()
	rows, err := o.db.QueryContext(ctx, s.sql.String(), s.values...)
	if err != nil {
		o.t.Fatalf("%s: %v", s.sql.String(), err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := take(rows); err != nil {
			o.t.Fatalf("%s: %v", s.sql.String(), err)
		}
	}
	if err := rows.Err(); err != nil {
		o.t.Fatalf("%s: %v", s.sql.String(), err)
	}
}
