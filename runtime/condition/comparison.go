package condition

import (
	"bytes"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/scalar"
)

var operators = []string{"", "gte", "gt", "lte", "lt"}

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
	misspelt   atomic.Bool // a number is the operand, in another spelling
	neverMeets atomic.Bool // a value has no order with the operand
	asLetters  atomic.Bool // a text that spells a number stands on the other side of the operand by its value
}

func newComparison(condition rs.Condition) (*comparison, error) {
	if !slices.Contains(operators, condition.Operator) {
		return nil, &Error{condition, "has the unknown operator " + condition.Operator + "; the operators are gte, gt, lte, lt"}
	}
	c := &comparison{Condition: condition, text: []byte(condition.Value)}
	c.number, c.isNumber = scalar.ParseDecimal(c.text)
	if c.moment, c.isMoment = scalar.Instant(c.text); !c.isMoment {
		c.moment, c.isPeriod = scalar.Period(c.text)
	}
	return c, nil
}

// holds reports whether a value that is no array meets the comparison.
func (c *comparison) holds(value rawjson.Value) bool {
	switch rawjson.Kind(value) {
	case rawjson.StringValue:
		text := scalar.TextOf(value)
		if c.Operator == "" {
			return c.equalsText(text)
		}
		return c.rangeHoldsText(text)
	case rawjson.Number:
		if c.Operator == "" {
			return c.equalsNumber(value)
		}
		number, ok := scalar.ParseDecimal(value)
		if !c.isNumber || !ok {
			note(&c.neverMeets)
			return false
		}
		return c.inRange(number.Compare(c.number))
	case rawjson.Boolean:
		if c.Operator == "" {
			return string(value) == c.Value
		}
		note(&c.neverMeets)
	}
	return false
}

func (c *comparison) equalsText(text []byte) bool {
	if bytes.Equal(text, c.text) {
		return true
	}
	if c.isDay() && !c.withTime.Load() && len(text) > len(c.text) {
		c.noteTime(text)
	}
	return false
}

func (c *comparison) equalsNumber(number []byte) bool {
	var room [32]byte
	if printed := scalar.AppendNumber(room[:0], number); bytes.Equal(printed, c.text) {
		return true
	}
	if c.isNumber && !c.misspelt.Load() {
		if value, ok := scalar.ParseDecimal(number); ok && value.Compare(c.number) == 0 {
			c.misspelt.Store(true)
		}
	}
	return false
}

// rangeHoldsText compares times with a time, and texts with a text.
func (c *comparison) rangeHoldsText(text []byte) bool {
	at, isMoment := scalar.Instant(text)
	switch {
	case isMoment && (c.isMoment || c.isPeriod):
		if c.isDay() && !scalar.IsDate(text) {
			note(&c.withTime)
		}
		return c.inRange(at.Compare(c.moment))
	case isMoment:
		note(&c.neverMeets)
		return false
	case c.isMoment:
		at, isPeriod := scalar.Period(text)
		return isPeriod && c.inRange(at.Compare(c.moment))
	}
	holds := c.inRange(bytes.Compare(text, c.text))
	if c.isNumber && !c.asLetters.Load() {
		if number, spells := scalar.ParseDecimal(text); spells && c.inRange(number.Compare(c.number)) != holds {
			c.asLetters.Store(true)
		}
	}
	return holds
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
	return order < 0
}

func (c *comparison) isDay() bool { return c.isMoment && scalar.IsDate(c.text) }

// noteTime notes that a text is a time, which is no day.
func (c *comparison) noteTime(text []byte) {
	if _, isTime := scalar.Instant(text); isTime {
		note(&c.withTime)
	}
}

func note(seen *atomic.Bool) {
	if !seen.Load() {
		seen.Store(true)
	}
}
