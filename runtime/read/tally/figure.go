package tally

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
)

// figure holds the measurements of a set of records.
type figure struct {
	records  int64
	sum      scalar.Decimal
	extreme  measured // the greatest value for max, the least for min
	isTied   bool     // several values equal the extreme
	distinct int64
}

// measured is one value of the measured field. It is read once for all groups of its record.
type measured struct {
	value scalar.Value
	json  rawjson.Value
}

// exceeds reports whether a value replaces the extreme so far. Of equal values, the lesser text wins, so that the order
// of the records does not matter.
func (f *figure) exceeds(metric string, m measured) bool {
	if f.extreme.value.Kind == scalar.None {
		return true
	}
	order := m.value.Compare(f.extreme.value)
	if metric == "min" {
		order = -order
	}
	return order > 0 || order == 0 && bytes.Compare(m.json, f.extreme.json) < 0
}

// add measures one value, and reports whether it is beyond the extreme so far.
func (f *figure) add(metric string, m measured) (isBeyond bool) {
	switch metric {
	case "sum":
		f.sum = f.sum.Add(m.value.Decimal)
	case "min", "max":
		isEqual := f.extreme.value.Kind != scalar.None && m.value.Compare(f.extreme.value) == 0
		if f.exceeds(metric, m) {
			isBeyond = !isEqual
			f.extreme = m
			f.extreme.value.Text, f.extreme.json = bytes.Clone(m.value.Text), bytes.Clone(m.json)
		}
		f.isTied = !isBeyond && (f.isTied || isEqual)
	}
	return isBeyond
}

// merge adds the figure of other records.
func (f *figure) merge(metric string, other *figure) {
	f.records += other.records
	f.distinct += other.distinct
	f.sum = f.sum.Add(other.sum)
	if other.extreme.value.Kind != scalar.None && f.exceeds(metric, other.extreme) {
		f.extreme = other.extreme
	}
}

// value returns the figure as the resource server writes it. min and max of no value are null.
func (f *figure) value(metric string) rawjson.Value {
	switch metric {
	case "sum":
		return f.sum.Append(nil)
	case "min", "max":
		if f.extreme.json == nil {
			return rawjson.Value("null")
		}
		return scalar.AppendJSON(nil, f.extreme.json)
	case "count_distinct":
		return strconv.AppendInt(nil, f.distinct, 10)
	}
	return strconv.AppendInt(nil, f.records, 10)
}

// rank compares two figures for the order of groups. The greatest is first, for min the least. Sums compare by
// magnitude. A group without a value is last.
func (f *figure) rank(metric string, other *figure) int {
	switch metric {
	case "sum":
		return other.sum.Magnitude().Compare(f.sum.Magnitude())
	case "min", "max":
		a, b := f.extreme.value, other.extreme.value
		if metric == "max" || a.Kind == scalar.None || b.Kind == scalar.None {
			a, b = b, a
		}
		return a.Compare(b)
	case "count_distinct":
		return cmp.Compare(other.distinct, f.distinct)
	}
	return cmp.Compare(other.records, f.records)
}

// maxDistinct is the max number of distinct values, so that memory does not grow with the records.
const maxDistinct = 100_000

// distinct distinguishes values by 128 bits of two hashes with random seeds, so that records cannot force a collision.
type distinct struct {
	first, second maphash.Seed
	seen          map[[2]uint64]struct{}
	full          bool // some values were not counted
}

// isNew reports whether a text has not been seen before.
func (d *distinct) isNew(text []byte) bool {
	sum := [2]uint64{maphash.Bytes(d.first, text), maphash.Bytes(d.second, text)}
	if _, known := d.seen[sum]; known {
		return false
	}
	if len(d.seen) == maxDistinct {
		d.full = true
		return false
	}
	d.seen[sum] = struct{}{}
	return true
}
