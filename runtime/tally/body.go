package tally

import (
	"fmt"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Body returns the aggregation in the resource server's envelope, without meta. A group has its key, its count, and its value for a
// metric other than count. With both groupings it also has the start of its time bucket as time. other_count counts records in groups
// beyond the limit, a record once for each of its groups.
func (t *Tally) Body() rawjson.Object {
	q := t.query
	body := rawjson.Object{
		rawjson.String("object", "aggregation"), rawjson.String("stream", q.Stream), rawjson.String("metric", q.Metric),
		rawjson.Raw("field", rawjson.TextOrNull(q.Field)), rawjson.Raw("group_by", rawjson.TextOrNull(q.GroupBy)),
		rawjson.Raw("group_by_time", rawjson.TextOrNull(q.GroupByTime)), rawjson.Raw("granularity", rawjson.TextOrNull(q.Granularity)),
		rawjson.Raw("time_zone", rawjson.TextOrNull(t.zone())),
		rawjson.Bool("approximate", t.told != nil && t.told.full), rawjson.Int("filtered_record_count", t.all.records),
	}
	if !t.isGrouped() {
		return append(body, rawjson.Raw("value", t.value(&t.all)))
	}
	t.fillCycle()
	groups := []rawjson.Value{}
	for _, group := range t.groups.ordered(q.Metric, q.GroupBy != "") {
		groups = append(groups, t.group(group))
	}
	return t.Sorted(body, groups)
}

// Sorted returns an aggregation with the first of these groups in the order of the query (R-AGG-5), and the number of records in the
// others. The groups are all that there are.
func (t *Tally) Sorted(body rawjson.Object, groups []rawjson.Value) rawjson.Object {
	first, others := first(groups, t.query.Sort, t.query.Limit, t.query.GroupBy == "")
	body = append(body.Without("groups", "limit", "other_count"), rawjson.Raw("groups", rawjson.Array(first)),
		rawjson.Int("limit", int64(t.query.Limit)), rawjson.Int("other_count", t.groups.others+others))
	if t.query.Sort != "" {
		body = append(body, rawjson.String("sort", t.query.Sort))
	}
	return body
}

// fillCycle adds the groups without records of a granularity that repeats, if no field divides them (R-TIME-7).
func (t *Tally) fillCycle() {
	if t.query.GroupBy != "" {
		return
	}
	for i := range t.buckets.cycle() {
		t.groups.of(appendName(nil, bucket(i), []byte("null")))
	}
}

// zone returns the zone of the groups.
func (t *Tally) zone() string {
	if t.buckets.ownOffset {
		return t.query.TimeZone + ", or the offset that a value states"
	}
	return t.query.TimeZone
}

// Groups returns the number of groups, including those beyond the limit. It returns 0 if there were too many to distinguish.
func (t *Tally) Groups() int {
	if t.groups.others > 0 {
		return 0
	}
	return len(t.groups.kept)
}

// value returns a figure. A sum without a single number is null.
func (t *Tally) value(f *figure) rawjson.Value {
	if t.odd > 0 && !t.some {
		return rawjson.Value("null")
	}
	return f.value(t.query.Metric)
}

func (t *Tally) group(group *group) rawjson.Value {
	var members rawjson.Object
	switch {
	case t.query.GroupBy == "":
		members = append(members, rawjson.Raw("key", t.buckets.key(group.start)))
	case t.query.GroupByTime == "":
		members = append(members, rawjson.Raw("key", group.key))
	default:
		members = append(members, rawjson.Raw("key", group.key), rawjson.Raw("time", t.buckets.key(group.start)))
	}
	members = append(members, rawjson.Raw("count", strconv.AppendInt(nil, group.records, 10)))
	if t.query.Metric != "count" {
		members = append(members, rawjson.Raw("value", t.value(&group.figure)))
	}
	return members.Encode()
}

// Warnings returns what the figures leave out: values that the metric cannot measure, and groups or values beyond a bound.
func (t *Tally) Warnings() []string {
	var warnings []string
	if t.odd > 0 {
		warnings = append(warnings, fmt.Sprintf("%d values of %s are left out: %s cannot measure them.", t.odd, t.query.Field, t.query.Metric))
	}
	if t.several > 0 {
		warnings = append(warnings, fmt.Sprintf("%d records have several values of %s, and count once in the group of each.", t.several, t.query.GroupBy))
	}
	if t.buckets.ownOffset {
		warnings = append(warnings, fmt.Sprintf("Values of %s have their own offset or none: they are grouped by the time that they "+
			"show, not in %s. Pass time_zone to group instants.", t.query.GroupByTime, t.query.TimeZone))
	}
	if t.groups.others > 0 {
		warnings = append(warnings, fmt.Sprintf(
			"Only the first %d groups are counted; %d records are in other groups, and one of those may be larger.", len(t.groups.kept), t.groups.others))
	}
	if t.told != nil && t.told.full {
		warnings = append(warnings, fmt.Sprintf("There are more than %d different values; those beyond are not counted.", distinctMost))
	}
	return warnings
}

// LacksTimes reports whether the field of the time groups has values, and none of them is a time.
func (t *Tally) LacksTimes() bool { return t.untimed && !t.timed }

// Spelled says that numbers as text were measured by value. It is empty without any.
func (t *Tally) Spelled() string {
	if t.spelled == 0 {
		return ""
	}
	return fmt.Sprintf("%d values of %s are numbers as text; %s takes them by value.", t.spelled, t.query.Field, t.query.Metric)
}
