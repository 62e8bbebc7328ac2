package tally

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// Tally is an aggregation of the added records. A record with an array is in the group of each element, and each
// element is measured. It is not safe for concurrent use.
type Tally struct {
	query          Query
	fields         []string // names of the fields to read
	buckets        buckets
	all            figure
	groups         groups
	distinctValues *distinct // for count_distinct; nil for other metrics
	unmeasured     int64     // values that the metric cannot measure
	spelled        int64     // texts that spell a number
	several        int64     // records in several groups
	timed          bool      // a value of the time field is a time
	untimed        bool      // a value of the time field is not a time
	isMeasured     bool      // a value was measured

	// Buffers of the current record, reused to save allocations.
	values []measured
	keys   [][]byte
	starts []bucket
	room   []byte // holds the bytes of values and keys
	name   []byte
}

// New prepares an aggregation. Its error is an *Error.
func New(query Query) (*Tally, error) {
	query, zone, err := query.checked()
	if err != nil {
		return nil, err
	}
	t := &Tally{query: query, fields: fieldsOf(query), buckets: buckets{granularity: query.Granularity, zone: zone, asWritten: query.AsWritten}}
	if query.Metric == "count_distinct" {
		t.distinctValues = &distinct{first: maphash.MakeSeed(), second: maphash.MakeSeed(), seen: map[[2]uint64]struct{}{}}
	}
	return t, nil
}

// Fields returns the names of the fields that are read, without repetition. The caller must not write to it.
func (t *Tally) Fields() []string { return t.fields }

func fieldsOf(query Query) []string {
	names := []string{query.Field, query.GroupBy, query.GroupByTime}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

func (t *Tally) isGrouped() bool { return t.query.GroupBy != "" || t.query.GroupByTime != "" }

// Add adds a record. The cursor is at the object of its fields. It reports whether the record has the value of the
// whole aggregate from now on, for min and max without groups.
func (t *Tally) Add(c rawjson.Cursor) (isExtreme bool) {
	t.values, t.keys, t.starts, t.room = t.values[:0], t.keys[:0], t.starts[:0], t.room[:0]
	if t.query.Metric != wire.Count || t.isGrouped() {
		unread := len(t.fields)
		for inside := c.Enter(rawjson.ObjectValue); inside && unread > 0 && c.More(); {
			name := c.Name()
			if value := c.Value(); len(name) > 0 && t.read(name, value) { // an empty name is not a field
				unread--
			}
		}
	}
	if !t.isGrouped() {
		return t.count(&t.all, 0)
	}
	t.all.records++
	for _, start := range orNone(t.starts, noBucket) {
		for _, key := range orNone(t.keys, []byte("null")) {
			t.name = appendName(t.name[:0], start, key)
			if group := t.groups.findOrAdd(t.name); group != nil {
				t.count(&group.figure, group.number)
			}
		}
	}
	return false
}

// IsTied reports whether several values equal the one of the whole aggregate.
func (t *Tally) IsTied() bool { return t.all.isTied }

// orNone returns the list, or a list with none as its only element if it is empty.
func orNone[T any](list []T, none T) []T {
	if len(list) == 0 {
		return []T{none}
	}
	return list
}

// read reads a field for each of its uses, and reports whether it has one.
func (t *Tally) read(name []byte, value rawjson.Value) (isRead bool) {
	if string(name) == t.query.Field {
		isRead = true
		eachValue(value, t.readMeasured)
	}
	if string(name) == t.query.GroupBy {
		isRead = true
		eachValue(value, func(value rawjson.Value) { t.keys = append(t.keys, t.written(value)) })
		if len(t.keys) > 1 { // a record is once in each group
			slices.SortFunc(t.keys, bytes.Compare)
			t.keys = slices.CompactFunc(t.keys, bytes.Equal)
			if len(t.keys) > 1 {
				t.several++
			}
		}
	}
	if string(name) == t.query.GroupByTime {
		isRead = true
		eachValue(value, func(value rawjson.Value) {
			start := t.buckets.bucketOf(value)
			t.timed, t.untimed = t.timed || start != noBucket, t.untimed || start == noBucket
			t.starts = append(t.starts, start)
		})
		if len(t.starts) > 1 {
			slices.Sort(t.starts)
			t.starts = slices.Compact(t.starts)
		}
	}
	return isRead
}

func (t *Tally) readMeasured(value rawjson.Value) {
	m := measured{json: value}
	switch t.query.Metric {
	case "count_distinct":
		m.json = t.written(value) // distinguishes values
	default:
		var spelled bool
		if m.value, spelled = scalar.ByValue(value); spelled {
			t.spelled++
		}
		if m.value.Kind == scalar.None || t.query.Metric == "sum" && m.value.Kind != scalar.Number {
			t.unmeasured++
			return
		}
	}
	t.isMeasured = true
	t.values = append(t.values, m)
}

// written returns a value as text for comparison. It is valid until the next record.
func (t *Tally) written(value rawjson.Value) []byte {
	start := len(t.room)
	t.room = scalar.AppendJSON(t.room, value)
	return t.room[start:len(t.room):len(t.room)]
}

// count adds the current record to a figure, and reports whether the record is beyond the others. number distinguishes
// the figures.
func (t *Tally) count(f *figure, number int) (isBeyond bool) {
	f.records++
	for _, m := range t.values {
		if t.distinctValues == nil {
			isBeyond = f.add(t.query.Metric, m) || isBeyond
			continue
		}
		t.name = append(binary.BigEndian.AppendUint32(t.name[:0], uint32(number)), m.json...)
		if t.distinctValues.isNew(t.name) {
			f.distinct++
		}
	}
	return isBeyond
}

// eachValue passes a value, or each element of an array, to call. It skips nulls.
func eachValue(value rawjson.Value, call func(rawjson.Value)) {
	switch rawjson.Kind(value) {
	case rawjson.None, rawjson.Null:
	case rawjson.ArrayValue:
		c := rawjson.NewCursor(value)
		for inside := c.Enter(rawjson.ArrayValue); inside && c.More(); {
			if element := c.Value(); rawjson.Kind(element) != rawjson.Null {
				call(element)
			}
		}
	default:
		call(value)
	}
}
