package resource

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

var metrics = []string{"count", "sum", "min", "max", "count_distinct"}

// Bounds of the number of groups.
const (
	usualGroups = 10
	maxGroups   = 100
)

// aggregation is one value, or the number of records by group.
type aggregation struct {
	Object              string          `json:"object"` // "aggregation"
	Stream              string          `json:"stream"`
	Metric              string          `json:"metric"`
	Field               *string         `json:"field"`
	GroupBy             *string         `json:"group_by"`
	GroupByTime         *string         `json:"group_by_time"`
	Granularity         *string         `json:"granularity"`
	TimeZone            *string         `json:"time_zone"`
	Approximate         bool            `json:"approximate"`
	FilteredRecordCount int64           `json:"filtered_record_count"`
	Value               json.RawMessage `json:"value,omitempty"`
	Groups              []groupDocument `json:"groups,omitzero"`
	Limit               *int            `json:"limit,omitempty"`
	OtherCount          *int64          `json:"other_count,omitempty"` // records in groups beyond the limit
	envelope
}

type groupDocument struct {
	Key   json.RawMessage `json:"key"`
	Count int64           `json:"count"`
}

// aggregateParameters are the parameters of an aggregation.
var aggregateParameters = []string{
	"metric", "field", "group_by", "group_by_time", "granularity", "time_zone", "limit", "filter[key]", "filter",
	"connection_id", "connector_id", "connector_instance_id",
}

// readAggregate computes over all connections that the request addresses together.
func (s *server) readAggregate(c *call) (any, error) {
	sources, err := s.alikeSources(c, c.PathValue("stream"))
	if err != nil {
		return nil, err
	}
	if err := c.checkRestricted(); err != nil {
		return nil, err
	}
	if err := c.parameters.checkNames(aggregateParameters...); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(sources[0].stream.Fields, func(f catalog.Field) bool { return f.Aggregations != nil }) {
		return nil, invalidRequest("Aggregations are not declared for stream '%s'", sources[0].stream.Name)
	}
	metric := c.parameters.value("metric")
	if !slices.Contains(metrics, metric) {
		return nil, invalidRequest("metric must be one of %s", strings.Join(metrics, ", "))
	}
	conditions, err := c.conditions(sources[0])
	if err != nil {
		return nil, err
	}
	selected := selections(sources, conditions)
	measured, err := s.store.Summarize(c.Context(), "", selected...)
	if err != nil {
		return nil, err
	}
	result := aggregation{
		Object: "aggregation", Stream: sources[0].stream.Name, Metric: metric, FilteredRecordCount: measured.Count,
	}
	_, grouped := c.parameters.first("group_by")
	_, groupedByTime := c.parameters.first("group_by_time")
	switch {
	case grouped && groupedByTime:
		err = invalidRequest("group_by and group_by_time cannot be combined; choose one grouping dimension")
	case grouped || groupedByTime:
		err = s.aggregateGroups(c, &result, sources[0], selected)
	default:
		err = s.aggregateValue(c, &result, sources[0], selected)
	}
	if err != nil {
		return nil, err
	}
	result.envelope = c.envelope()
	return result, nil
}

// aggregateValue computes one value over all records.
func (s *server) aggregateValue(c *call, result *aggregation, source source, selected []store.Selection) error {
	if _, given := c.parameters.first("limit"); given {
		return invalidRequest("limit is only supported with group_by or group_by_time")
	}
	if err := c.withoutTimeGrouping(); err != nil {
		return err
	}
	name, given := c.parameters.first("field")
	if result.Metric == "count" {
		if given {
			return invalidRequest("field is not supported for count")
		}
		result.Value = json.RawMessage(strconv.FormatInt(result.FilteredRecordCount, 10))
		return nil
	}
	if name == "" {
		return invalidRequest("field is required for %s", result.Metric)
	}
	field, err := source.aggregated(name, result.Metric)
	if err != nil {
		return err
	}
	if result.Metric == "count_distinct" && len(selected) > 1 {
		return invalidRequest("count_distinct across multiple connections is not supported; scope with connection_id")
	}
	result.Field = &field.Name
	result.Value, err = s.store.Metric(c.Context(), result.Metric, field, selected...)
	return err
}

// aggregated returns the named field if it declares the aggregation and is granted.
func (s source) aggregated(name, aggregation string) (catalog.Field, error) {
	field, declared := s.field(name)
	if !declared {
		return field, invalid("unknown_field", "Unknown field: %s", name)
	}
	if !s.grants(name) {
		return field, forbidden("field_not_granted", "Aggregation field '%s' not in grant", name)
	}
	if !slices.Contains(field.Aggregations, aggregation) {
		return field, invalidRequest("Aggregation %s is not declared for '%s'", aggregation, name)
	}
	return field, nil
}

// aggregateGroups counts records by the value or the time of a field. Over several connections it adds up the first
// groups of each, as real servers do: a group's count may be too low, a group may be missing, and other_count is
// absent.
func (s *server) aggregateGroups(c *call, result *aggregation, source source, selected []store.Selection) error {
	switch result.Metric {
	case "count":
	case "count_distinct":
		return invalidRequest("count_distinct does not support grouping; omit group_by and group_by_time")
	default:
		return invalidRequest("%s does not support grouping; group_by and group_by_time are only valid with metric=count",
			result.Metric)
	}
	if _, given := c.parameters.first("field"); given {
		return invalidRequest("field is not supported for count")
	}
	limit, err := c.groupLimit()
	if err != nil {
		return err
	}
	var merged []groupDocument
	var other int64
	name, byValue := c.parameters.first("group_by")
	for _, each := range selected {
		var groups []store.Group
		if byValue {
			groups, err = s.groupByValue(c, result, source, name, each)
		} else {
			groups, err = s.groupByTime(c, result, source, c.parameters.value("group_by_time"), each)
		}
		if err != nil {
			return err
		}
		for i, group := range groups {
			if i < limit {
				merged = addGroup(merged, groupDocument(group))
			} else {
				other += group.Count
			}
		}
	}
	if result.Limit = &limit; len(selected) == 1 {
		result.Groups, result.OtherCount = append([]groupDocument{}, merged...), &other
		return nil
	}
	slices.SortStableFunc(merged, func(a, b groupDocument) int {
		if !byValue || a.Count == b.Count {
			return bytes.Compare(a.Key, b.Key)
		}
		return cmp.Compare(b.Count, a.Count)
	})
	result.Groups = append([]groupDocument{}, merged[:min(limit, len(merged))]...)
	return nil
}

func addGroup(groups []groupDocument, added groupDocument) []groupDocument {
	same := func(group groupDocument) bool { return bytes.Equal(group.Key, added.Key) }
	if i := slices.IndexFunc(groups, same); i >= 0 {
		groups[i].Count += added.Count
		return groups
	}
	return append(groups, added)
}

func (s *server) groupByValue(c *call, result *aggregation, source source, name string,
	selected store.Selection,
) ([]store.Group, error) {
	if err := c.withoutTimeGrouping(); err != nil {
		return nil, err
	}
	field, err := source.aggregated(name, "group_by")
	if err != nil {
		return nil, err
	}
	result.GroupBy = &field.Name
	return s.store.Groups(c.Context(), field, selected)
}

func (s *server) groupByTime(c *call, result *aggregation, source source, name string,
	selected store.Selection,
) ([]store.Group, error) {
	field, err := source.aggregated(name, "group_by_time")
	if err != nil {
		return nil, err
	}
	granularity, given := c.parameters.first("granularity")
	if !given {
		return nil, invalidRequest("granularity is required when group_by_time is present")
	}
	if !slices.Contains(store.Granularities(), granularity) {
		return nil, invalidRequest("granularity must be one of %s", strings.Join(store.Granularities(), ", "))
	}
	zone := "UTC"
	if given, ok := c.parameters.first("time_zone"); ok {
		zone = given
	}
	// LoadLocation also accepts "" and "Local", which are not names of the time zone database.
	if _, err := time.LoadLocation(zone); err != nil || zone == "" || zone == "Local" {
		return nil, invalidRequest("Unknown time_zone: '%s'", zone)
	}
	result.GroupByTime, result.Granularity, result.TimeZone = &field.Name, &granularity, &zone
	return s.store.TimeGroups(c.Context(), field, granularity, zone, selected)
}

func (c *call) groupLimit() (int, error) {
	text, given := c.parameters.first("limit")
	if !given {
		return usualGroups, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 || limit > maxGroups {
		return 0, invalidRequest("limit must be an integer between 1 and %d", maxGroups)
	}
	return limit, nil
}

// withoutTimeGrouping refuses parameters that only group_by_time can use.
func (c *call) withoutTimeGrouping() error {
	for _, name := range []string{"granularity", "time_zone"} {
		if _, given := c.parameters.first(name); given {
			return invalidRequest("%s is only supported with group_by_time", name)
		}
	}
	return nil
}
