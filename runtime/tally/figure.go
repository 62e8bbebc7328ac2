package tally

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/scalar"
)

// figure is what was measured of some records.
type figure struct {
	records  int64
	sum      scalar.Decimal
	most     measured // by max, or the least by min
	distinct int64
}

// measured is one value of the measured field, read once for all groups of its record.
type measured struct {
	value scalar.Value
	json  rawjson.Value
}

// exceeds reports whether a value replaces the least or the greatest one so far. Of equal values, the lesser text does, so that the order of
// the records does not matter.
func (f *figure) exceeds(metric string, m measured) bool {
	if f.most.value.Kind == scalar.None {
		return true
	}
	order := m.value.Compare(f.most.value)
	if metric == "min" {
		order = -order
	}
	return order > 0 || order == 0 && bytes.Compare(m.json, f.most.json) < 0
}

// add measures one value.
func (f *figure) add(metric string, m measured) {
	switch metric {
	case "sum":
		f.sum = f.sum.Add(m.value.Decimal)
	case "min", "max":
		if f.exceeds(metric, m) {
			f.most = m
			f.most.value.Text, f.most.json = bytes.Clone(m.value.Text), bytes.Clone(m.json)
		}
	}
}

// merge adds what was measured of other records.
func (f *figure) merge(metric string, other *figure) {
	f.records += other.records
	f.distinct += other.distinct
	f.sum = f.sum.Add(other.sum)
	if other.most.value.Kind != scalar.None && f.exceeds(metric, other.most) {
		f.most = other.most
	}
}

// value returns the figure as the resource server writes it. min and max of no value are null.
func (f *figure) value(metric string) rawjson.Value {
	switch metric {
	case "sum":
		return f.sum.Append(nil)
	case "min", "max":
		if f.most.json == nil {
			return rawjson.Value("null")
		}
		return scalar.AppendJSON(nil, f.most.json)
	case "count_distinct":
		return strconv.AppendInt(nil, f.distinct, 10)
	}
	return strconv.AppendInt(nil, f.records, 10)
}

// rank compares two figures in the order of groups: the greatest first, sums by their magnitude, the least first for min. A group without a
// value is last.
func (f *figure) rank(metric string, other *figure) int {
	switch metric {
	case "sum":
		return other.sum.Magnitude().Compare(f.sum.Magnitude())
	case "min", "max":
		a, b := f.most.value, other.most.value
		if metric == "max" || a.Kind == scalar.None || b.Kind == scalar.None {
			a, b = b, a
		}
		return a.Compare(b)
	case "count_distinct":
		return cmp.Compare(other.distinct, f.distinct)
	}
	return cmp.Compare(other.records, f.records)
}

// distinctMost is the max number of distinct values, so that memory does not grow with the records.
const distinctMost = 100_000

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
	if len(d.seen) == distinctMost {
		d.full = true
		return false
	}
	d.seen[sum] = struct{}{}
	return true
}
