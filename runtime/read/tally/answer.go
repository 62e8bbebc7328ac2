package tally

import (
	"fmt"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// Answer returns the aggregation with the members of the resource server's envelope, without meta. A group has its key
// and its count, and for a metric other than count its value. With both groupings it also has the start of its time
// bucket, as time. other_count is the number of records in groups beyond the limit. It counts a record once for each of
// its groups.
func (t *Tally) Answer() *answer.Groups {
	q, zone := t.query, t.query.TimeZone
	switch {
	case t.buckets.hasOffsets:
		zone += ", or the offset that a value states"
	case t.keepsDates() && !t.buckets.hasTimes:
		zone = time.UTC.String()
	}
	found := &answer.Groups{IsGrouped: t.isGrouped(), IsCycle: IsCycle(q.Granularity)}
	found.Members = rawjson.Object{
		rawjson.String(wire.Stream, q.Stream), rawjson.String(wire.Metric, q.Metric),
		rawjson.Raw(wire.Field, rawjson.TextOrNull(q.Field)), rawjson.Raw(wire.GroupBy, rawjson.TextOrNull(q.GroupBy)),
		rawjson.Raw(wire.GroupByTime, rawjson.TextOrNull(q.GroupByTime)), rawjson.Raw(wire.Granularity, rawjson.TextOrNull(q.Granularity)),
		rawjson.Raw(wire.TimeZone, rawjson.TextOrNull(zone)),
		rawjson.Bool("approximate", t.distinctValues != nil && t.distinctValues.full), rawjson.Int("filtered_record_count", t.all.records),
	}
	if !t.isGrouped() {
		found.Members = append(found.Members, rawjson.Raw("value", t.value(&t.all)))
		return found
	}
	if q.GroupBy == "" { // a cycle also has the groups without records (R-TIME-7)
		for i := range cycles[q.Granularity] {
			t.groups.findOrAdd(appendName(nil, bucket(i), []byte("null")))
		}
	}
	found.Known = t.Groups()
	for _, group := range t.groups.ordered(q.Metric, q.GroupBy != "") {
		found.Groups = append(found.Groups, answer.Group{Members: t.group(group)})
	}
	t.Sort(found)
	return found
}

// Groups returns the number of groups, including those beyond the limit. It returns 0 if there were too many to
// distinguish.
func (t *Tally) Groups() int {
	if t.groups.others > 0 {
		return 0
	}
	return len(t.groups.kept)
}

// value returns a figure as JSON. It is null if the metric could measure no value.
func (t *Tally) value(f *figure) rawjson.Value {
	if t.unmeasured > 0 && !t.isMeasured {
		return rawjson.Value("null")
	}
	return f.value(t.query.Metric)
}

func (t *Tally) group(group *group) rawjson.Object {
	members := rawjson.Object{rawjson.Raw("key", group.key)}
	start := t.buckets.key(group.start)
	if t.query.GroupBy == "" {
		members[0].Value = start
	} else if t.query.GroupByTime != "" {
		members = append(members, rawjson.Raw("time", start))
	}
	members = append(members, rawjson.Int(wire.Count, group.records))
	if t.query.Metric != wire.Count {
		members = append(members, rawjson.Raw("value", t.value(&group.figure)))
	}
	return members
}

// Warning says what the figures leave out, or how they were made.
type Warning struct{ Code, Message string }

// DatesAsWritten says that a field of dates is not grouped in a time zone.
func DatesAsWritten(field, zone string) Warning {
	return Warning{WarnAsWritten, fmt.Sprintf("Values of %s are dates, which have no time zone: they are grouped as they are, not in %s.", field, zone)}
}

// keepsDates reports whether dates were counted that the zone of the call would have shifted.
func (t *Tally) keepsDates() bool {
	return t.buckets.hasDates && !t.query.AsWritten && ShiftsDates(t.query.TimeZone, t.query.Granularity)
}

// Warnings returns warnings about what the figures leave out, and about values that count in another way than the call
// may expect.
func (t *Tally) Warnings() []Warning {
	q := t.query
	var warnings []Warning
	warn := func(holds bool, code, form string, values ...any) {
		if holds {
			warnings = append(warnings, Warning{code, fmt.Sprintf(form, values...)})
		}
	}
	if t.keepsDates() {
		warnings = append(warnings, DatesAsWritten(q.GroupByTime, q.TimeZone))
	}
	warn(t.unmeasured > 0, WarnLeftOut, "%d values of %s are left out: %s cannot measure them.", t.unmeasured, q.Field, q.Metric)
	warn(t.several > 0, WarnSeveralGroups, "%d records have several values of %s, and count once in the group of each.", t.several, q.GroupBy)
	warn(t.buckets.hasOffsets, WarnAsWritten, "Values of %s have their own offset or none: they are grouped by the time that they show, not in %s. "+
		"Pass time_zone to group instants.", q.GroupByTime, q.TimeZone)
	warn(t.groups.others > 0, WarnPartial, "Only the first %d groups are counted; %d records are in other groups, and one of those may be larger.",
		len(t.groups.kept), t.groups.others)
	warn(t.distinctValues != nil && t.distinctValues.full, WarnPartial, "There are more than %d different values; those beyond are not counted.", maxDistinct)
	warn(t.spelled > 0, WarnNumbersAsText, "%d values of %s are numbers as text; %s takes them by value.", t.spelled, q.Field, q.Metric)
	return warnings
}

// LacksTimes reports whether the field of the time groups has values and none of them is a time.
func (t *Tally) LacksTimes() bool { return t.untimed && !t.timed }
