package claims_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// condition is a condition of a filter: an exact value, or a bound.
type condition struct {
	field    catalog.Field
	operator string
	value    any
}

func (c condition) sql() string {
	field, operator := "data->>'"+c.field.Name+"'", map[string]string{"": "=", "gte": ">=", "gt": ">", "lte": "<=", "lt": "<"}[c.operator]
	switch value := c.value.(type) {
	case bool:
		return fmt.Sprintf("%s %s %t", field, operator, value)
	case time.Time:
		return fmt.Sprintf("julianday(%s) %s julianday('%s')", field, operator, value.Format(time.RFC3339))
	case int64:
		return fmt.Sprintf("%s %s %d", field, operator, value)
	}
	return fmt.Sprintf("%s %s '%s'", field, operator, strings.ReplaceAll(c.value.(string), "'", "''"))
}

func (c condition) argument() any {
	if c.operator == "" {
		return c.value
	}
	return map[string]any{c.operator: c.value}
}

// question is one call, with what it is about.
type question struct {
	tool       string
	arguments  map[string]any
	granted    catalog.StreamGrant // the zero grant: all streams
	connection string
	conditions []condition
	word       string // of a search
	key        string // of the only record
	ungranted  string // a field that the call names and the grant does not cover
	isOrdered  bool   // the first rows of several connections
}

func (q question) String() string { return q.tool + " " + encode(q.arguments) }

// filterable returns the granted fields whose values compare without conventions: texts, whole numbers and booleans.
func (c *caller) filterable(granted catalog.StreamGrant) []catalog.Field {
	var fields []catalog.Field
	for _, field := range c.stream(granted.Name).Fields {
		isPlain := slices.Contains([]string{"string", "integer", "boolean"}, field.Type) && !strings.Contains(field.Format, "date")
		if isPlain && (granted.Fields == nil || slices.Contains(granted.Fields, field.Name)) {
			fields = append(fields, field)
		}
	}
	return fields
}

// drawCondition draws a condition with a value that occurs, or nearly.
func (c *caller) drawCondition(ctx context.Context, t *rapid.T, granted catalog.StreamGrant, field catalog.Field) (condition, bool) {
	all := c.truth(catalog.StreamGrant{Name: granted.Name, ConnectionIDs: granted.ConnectionIDs}, "")
	values, err := all.rows(ctx, "DISTINCT data->>'"+field.Name+"', ''", " AND data->>'"+field.Name+"' IS NOT NULL LIMIT 60")
	if err != nil || len(values) == 0 {
		return condition{}, false
	}
	value := values[rapid.IntRange(0, len(values)-1).Draw(t, "value")][0]
	drawn := condition{field: field, value: value}
	switch field.Type {
	case "boolean":
		drawn.value = value == "1" || value == "true"
	case "integer":
		var number int64
		if _, err := fmt.Sscan(value, &number); err != nil {
			return condition{}, false
		}
		drawn.value, drawn.operator = number, rapid.SampledFrom([]string{"", "gte", "gt", "lte", "lt"}).Draw(t, "operator")
	default:
		if len(value) > 80 || strings.ContainsAny(value, "\n\\") {
			return condition{}, false
		}
		if rapid.IntRange(0, 4).Draw(t, "is misspelt") == 0 {
			drawn.value = value + "x"
		}
	}
	return drawn, true
}

// drawTime draws a bound on the time that a range of the grant bounds.
func (c *caller) drawTime(t *rapid.T, granted catalog.StreamGrant) (condition, bool) {
	name := c.stream(granted.Name).ConsentTimeField
	if name == "" || granted.Fields != nil && !slices.Contains(granted.Fields, name) || rapid.IntRange(0, 1).Draw(t, "is bounded") == 0 {
		return condition{}, false
	}
	at := time.Date(2025, time.Month(8+rapid.IntRange(0, 12).Draw(t, "month")), 1, 0, 0, 0, 0, time.UTC)
	return condition{catalog.Field{Name: name}, rapid.SampledFrom([]string{"gte", "lt"}).Draw(t, "bound"), at}, true
}

// drawUngranted draws a call that names a field that exists and is not granted.
func (c *caller) drawUngranted(t *rapid.T, q question) question {
	var others []string
	for _, field := range c.stream(q.granted.Name).Fields {
		if q.granted.Fields != nil && !slices.Contains(q.granted.Fields, field.Name) {
			others = append(others, field.Name)
		}
	}
	if others == nil {
		q.tool = "schema"
		return q
	}
	q.tool, q.ungranted = "query_records", rapid.SampledFrom(others).Draw(t, "not granted")
	switch rapid.IntRange(0, 3).Draw(t, "place") {
	case 0:
		q.arguments["fields"] = []string{q.ungranted}
	case 1:
		q.arguments["filter"] = map[string]any{q.ungranted: "x"}
	case 2:
		q.arguments["sort"] = "-" + q.ungranted
	default:
		q.tool, q.arguments["metric"], q.arguments["group_by"] = "aggregate", "count", q.ungranted
	}
	return q
}

// drawQuestion draws a call that the grant permits, or one that names a field that is not granted.
func (c *caller) drawQuestion(ctx context.Context, t *rapid.T) question {
	granted := rapid.SampledFrom(c.streams).Draw(t, "stream")
	q := question{granted: granted, arguments: map[string]any{"stream": granted.Name}}
	// A connection keeps pages of several connections out of the question.
	q.connection = rapid.SampledFrom(granted.ConnectionIDs).Draw(t, "connection")
	q.arguments["connection_id"] = q.connection
	filter := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "conditions") {
		fields := c.filterable(granted)
		if len(fields) == 0 {
			break
		}
		field := rapid.SampledFrom(fields).Draw(t, "field")
		if drawn, ok := c.drawCondition(ctx, t, granted, field); ok && filter[field.Name] == nil {
			filter[field.Name] = drawn.argument()
			q.conditions = append(q.conditions, drawn)
		}
	}
	if drawn, ok := c.drawTime(t, granted); ok {
		filter[drawn.field.Name] = drawn.argument()
		q.conditions = append(q.conditions, drawn)
	}
	kinds := []string{
		"rows", "ordered", "count", "groups", "search", "timeline", "window", "changes", "schema", "ungranted", "extreme",
		"document", "document",
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "rows":
		q.tool, q.arguments["limit"] = "query_records", rapid.IntRange(1, 100).Draw(t, "limit")
		if sorted := c.filterable(granted); len(sorted) > 0 && rapid.IntRange(0, 3).Draw(t, "is sorted") == 0 {
			q.arguments["sort"] = "-" + rapid.SampledFrom(sorted).Draw(t, "sort").Name
		}
	case "ordered":
		q.tool = "query_records"
		q = c.drawOrder(t, q)
	case "count":
		q.tool, q.arguments["metric"] = "aggregate", "count"
	case "groups":
		q.tool, q.arguments["metric"] = "aggregate", "count"
		if fields := c.filterable(granted); len(fields) > 0 {
			q.arguments["group_by"] = rapid.SampledFrom(fields).Draw(t, "group").Name
			q.arguments["limit"] = rapid.IntRange(1, 100).Draw(t, "limit")
		}
	case "extreme":
		q.tool, q.arguments["metric"] = "aggregate", rapid.SampledFrom([]string{"min", "max"}).Draw(t, "metric")
		numbers := slices.DeleteFunc(c.filterable(granted), func(f catalog.Field) bool { return f.Type != "integer" })
		if len(numbers) == 0 {
			q.arguments["metric"] = "count"
			break
		}
		q.arguments["field"] = rapid.SampledFrom(numbers).Draw(t, "measured").Name
	case "search":
		return c.drawSearch(ctx, t, q)
	case "ungranted":
		q.conditions = nil
		return c.drawUngranted(t, q)
	case "timeline":
		day := rapid.IntRange(0, 300).Draw(t, "day")
		if drafts := c.draftDays(ctx); len(drafts) > 0 && rapid.Bool().Draw(t, "has a draft") {
			day = rapid.SampledFrom(drafts).Draw(t, "draft")
		}
		return question{tool: "query_records", arguments: map[string]any{
			"stream": "*", "limit": 100, "filter": map[string]any{"time": map[string]string{"gte": dayOf(day), "lt": dayOf(day + rapid.IntRange(1, 3).Draw(t, "days"))}},
		}}
	case "changes":
		q.tool, q.conditions = "query_records", nil
		q.arguments["changes_since"], q.arguments["limit"] = "beginning", rapid.IntRange(1, 100).Draw(t, "limit")
		return q
	case "document":
		return c.drawDocument(ctx, t, q)
	case "window":
		return c.drawWindow(ctx, t, q)
	default:
		q.tool, q.conditions = "schema", nil
		delete(q.arguments, "limit")
		return q
	}
	if len(filter) > 0 {
		q.arguments["filter"] = filter
	}
	return q
}

// draftDays returns the days on which drafts were written.
func (c *caller) draftDays(ctx context.Context) []int {
	var days []int
	for _, granted := range c.streams {
		if granted.Name == "messages" {
			drafts, err := c.truth(granted, "").and("data->>'is_draft'").rows(ctx, "CAST(julianday(consent_time) - julianday('2025-08-01') AS INTEGER), ''", " LIMIT 20")
			for i := 0; err == nil && i < len(drafts); i++ {
				days = append(days, *number(drafts[i][0]))
			}
		}
	}
	return days
}

// drawSearch draws a word of a text that the grant covers, or one that does not occur.
func (c *caller) drawSearch(ctx context.Context, t *rapid.T, q question) question {
	q.tool, q.conditions, q.connection = "search", nil, ""
	q.arguments = map[string]any{"q": "zyxwvut", "limit": rapid.SampledFrom([]int{1, 2, 5, 20, 50}).Draw(t, "limit")}
	if texts := c.textsOf(ctx, q.granted); len(texts) > 0 && rapid.IntRange(0, 5).Draw(t, "occurs") > 0 {
		var words []string
		for _, word := range strings.Fields(rapid.SampledFrom(texts).Draw(t, "text")) {
			if len(word) > 3 && strings.Trim(strings.ToLower(word), "abcdefghijklmnopqrstuvwxyz") == "" {
				words = append(words, word)
			}
		}
		if len(words) > 0 {
			q.arguments["q"] = rapid.SampledFrom(words).Draw(t, "word")
		}
	}
	if rapid.Bool().Draw(t, "in one stream") {
		q.arguments["streams"] = []string{q.granted.Name}
	}
	q.word = q.arguments["q"].(string)
	return q
}

func (c *caller) textsOf(ctx context.Context, granted catalog.StreamGrant) []string {
	var texts []string
	for _, field := range c.filterable(granted) {
		values, err := c.truth(granted, "").rows(ctx, "data->>'"+field.Name+"', ''", " AND data->>'"+field.Name+"' IS NOT NULL ORDER BY key LIMIT 20")
		for i := 0; err == nil && field.Type == "string" && i < len(values); i++ {
			texts = append(texts, values[i][0])
		}
	}
	return texts
}

func (c *caller) drawWindow(ctx context.Context, t *rapid.T, q question) question {
	q.tool, q.conditions = "read_record_field", nil
	var fields []catalog.Field
	for _, field := range c.filterable(q.granted) {
		if field.Type == "string" {
			fields = append(fields, field)
		}
	}
	keys, err := c.truth(q.granted, q.connection).rows(ctx, "key, ''", " ORDER BY key LIMIT 50")
	if err != nil || len(keys) == 0 || len(fields) == 0 {
		q.tool = "schema"
		return q
	}
	q.arguments["record_id"] = keys[rapid.IntRange(0, len(keys)-1).Draw(t, "record")][0]
	q.arguments["field_path"] = rapid.SampledFrom(fields).Draw(t, "field path").Name
	q.arguments["limit_chars"] = rapid.IntRange(1, 200).Draw(t, "characters")
	return q
}
