package condition

import (
	"bytes"
	"sync/atomic"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/scalar"
)

// comparison compares values with one operand, which is read in each way that a value may need: the types of fields are
// not known.
type comparison struct {
	rs.Condition
	text []byte

	number   scalar.Decimal
	isNumber bool
	moment   time.Time
	isMoment bool // a date-time or a date
	isPeriod bool // a year or a month, which is also a text

	withTime   atomic.Bool // a time was compared with a day
	withOffset atomic.Bool // such a time has an offset
	misspelt   atomic.Bool // a number is the operand, in another spelling
	neverMeets atomic.Bool // a value has no order with the operand
	asLetters  atomic.Bool // text that spells a number compares differently by value
	times      atomic.Bool // a value is a time
	others     atomic.Bool // a value is neither a time nor absent
	seen       seenValues  // of an exact condition
}

func newComparison(condition rs.Condition) *comparison {
	c := &comparison{Condition: condition, text: []byte(condition.Value)}
	c.number, c.isNumber = scalar.ParseDecimal(c.text)
	if condition.Number {
		return c
	}
	if c.moment, c.isMoment = scalar.Instant(c.text); !c.isMoment {
		c.moment, c.isPeriod = scalar.Period(c.text)
	} else if condition.Operator == "" && c.isDay() && c.moment.Format(time.DateOnly) != condition.Value {
		c.isMoment = false // such as 30 February
	}
	return c
}

// holds reports whether a value that is no array meets the comparison.
func (c *comparison) holds(value rawjson.Value) bool {
	v := scalar.Of(value)
	switch v.Kind {
	case scalar.None:
	case scalar.Time:
		note(&c.times)
	default:
		note(&c.others)
	}
	if c.Operator == "" {
		return c.equals(value)
	}
	switch {
	case v.Kind == scalar.None:
		return false
	case v.Kind == scalar.Number && c.isNumber:
		return c.inRange(v.Decimal.Compare(c.number))
	case v.Kind == scalar.Time && (c.isMoment || c.isPeriod):
		if c.isDay() && !scalar.IsDate(v.Text) {
			note(&c.withTime)
			if bytes.ContainsAny(v.Text[len(time.DateOnly):], "+-") {
				note(&c.withOffset)
			}
		}
		return c.inRange(v.Time.Compare(c.moment))
	case v.Kind == scalar.Text && c.Number:
		number, isNumber := scalar.ParseDecimal(v.Text)
		return isNumber && c.inRange(number.Compare(c.number))
	case v.Kind == scalar.Text && c.isMoment:
		at, isPeriod := scalar.Period(v.Text)
		return isPeriod && c.inRange(at.Compare(c.moment))
	case v.Kind == scalar.Text:
		holds := c.inRange(bytes.Compare(v.Text, c.text))
		if c.isNumber && !c.asLetters.Load() {
			if number, spells := scalar.ParseDecimal(v.Text); spells && c.inRange(number.Compare(c.number)) != holds {
				c.asLetters.Store(true)
			}
		}
		return holds
	}
	note(&c.neverMeets)
	return false
}

// equals compares the text of a value, and notes why another one is probably meant.
func (c *comparison) equals(value rawjson.Value) bool {
	switch rawjson.Kind(value) {
	case rawjson.StringValue:
		text := scalar.TextOf(value)
		if bytes.Equal(text, c.text) {
			return true
		}
		c.seen.add(text)
		if c.isDay() && !c.withTime.Load() && len(text) > len(c.text) {
			if _, isTime := scalar.Instant(text); isTime {
				c.withTime.Store(true)
			}
		}
	case rawjson.Number:
		var room [32]byte
		text := scalar.AppendNumber(room[:0], value)
		if bytes.Equal(text, c.text) {
			return true
		}
		c.seen.add(text)
		if c.isNumber && !c.misspelt.Load() {
			if number, ok := scalar.ParseDecimal(value); ok && number.Compare(c.number) == 0 {
				c.misspelt.Store(true)
			}
		}
	case rawjson.Boolean:
		return string(value) == c.Value
	}
	return false
}

// inRange reports whether a value holds that stands so to the operand, as Compare has it.
func (c *comparison) inRange(order int) bool {
	switch c.Operator {
	case "gte":
		return order >= 0
	case "gt":
		return order > 0
	case "lte":
		return order <= 0
	}
	return c.Operator == "lt" && order < 0
}

func (c *comparison) isDay() bool { return c.isMoment && scalar.IsDate(c.text) }

func note(seen *atomic.Bool) {
	if !seen.Load() {
		seen.Store(true)
	}
}
