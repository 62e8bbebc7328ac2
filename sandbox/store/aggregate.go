package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// Metric computes one value over the live records of the selections: sum, min, max or count_distinct of a
// field. The value is JSON: a number, or for min and max the value as it is in the data, or null when
// no record has one. A sum of nothing is 0. Times are compared as instants, numbers as numbers.
func (s *Store) Metric(ctx context.Context, metric string, field catalog.Field,
	selections ...Selection,
) (json.RawMessage, error) {
	var c clause
	path := jsonPath(field.Name)
	c.add("WITH seen AS (SELECT json_extract(data, ?) AS value FROM record WHERE ", path)
	whereLive(&c, selections)
	c.add(" AND json_type(data, ?) <> 'null') ", path)
	switch metric {
	case "sum":
		c.add("SELECT json_quote(coalesce(sum(value), 0)) FROM seen")
	case "count_distinct":
		c.add("SELECT json_quote(count(DISTINCT " + comparedValue(field) + ")) FROM seen")
	case "min":
		c.add("SELECT json_quote(value) FROM seen ORDER BY " + comparedValue(field) + " LIMIT 1")
	case "max":
		c.add("SELECT json_quote(value) FROM seen ORDER BY " + comparedValue(field) + " DESC LIMIT 1")
	default:
		return nil, fmt.Errorf("metric %q is not one of sum, min, max, count_distinct", metric)
	}
	var value string
	err := s.db.QueryRowContext(ctx, c.sql.String(), c.arguments...).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return json.RawMessage("null"), nil
	}
	if err != nil {
		return nil, fmt.Errorf("aggregate %s of %q: %w", metric, field.Name, err)
	}
	return json.RawMessage(value), nil
}

// comparedValue returns the SQL that converts value to the form in which values of the field are compared.
func comparedValue(field catalog.Field) string {
	if field.Format == "date-time" {
		return "instant(value)"
	}
	return "value"
}

// Group is the number of records that share a key.
type Group struct {
	Key   json.RawMessage // the value of the field, or the start of the time bucket as a string; null if it is missing
	Count int64
}

// Groups counts the live records of the selections by the value of a field, largest group first.
func (s *Store) Groups(ctx context.Context, field catalog.Field, selections ...Selection) ([]Group, error) {
	var c clause
	// The -> operator keeps JSON's own types: false stays false where json_extract would make it 0.
	c.add("SELECT coalesce(data -> ?, 'null') AS name, count(*) AS size FROM record WHERE ", jsonPath(field.Name))
	whereLive(&c, selections)
	c.add(" GROUP BY name ORDER BY size DESC, name")
	return s.groups(ctx, &c)
}

// TimeGroups counts the live records of the selections by the time bucket of a field (see Bucket), earliest
// first and records without a time last. zone is an IANA name.
func (s *Store) TimeGroups(ctx context.Context, field catalog.Field, granularity, zone string,
	selections ...Selection,
) ([]Group, error) {
	var c clause
	c.add(`WITH seen AS (SELECT instant(json_extract(data, ?)) AS moment FROM record WHERE `, jsonPath(field.Name))
	whereLive(&c, selections)
	c.add(`) SELECT json_quote(time_bucket(moment, ?, ?)) AS name, count(*) AS size FROM seen
		GROUP BY name ORDER BY min(moment) IS NULL, min(moment)`, granularity, zone)
	return s.groups(ctx, &c)
}

func (s *Store) groups(ctx context.Context, c *clause) ([]Group, error) {
	rows, err := s.db.QueryContext(ctx, c.sql.String(), c.arguments...)
	if err != nil {
		return nil, fmt.Errorf("group records: %w", err)
	}
	defer rows.Close()
	groups := []Group{}
	for rows.Next() {
		var name string
		var group Group
		if err := rows.Scan(&name, &group.Count); err != nil {
			return nil, fmt.Errorf("group records: %w", err)
		}
		group.Key = json.RawMessage(name)
		groups = append(groups, group)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("group records: %w", err)
	}
	return groups, nil
}
