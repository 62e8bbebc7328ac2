package condition

import (
	"bytes"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// comparison compares values with one operand. It parses the operand as text, number and time, because the types of
// fields are unknown. It records what the values show about the operand.
type comparison struct {
	rs.Condition
	text []byte

	number   scalar.Decimal
	isNumber bool
	at       time.Time
	isTime   bool // a time or a date
	isPeriod bool // a year or a month; texts also compare with its text

	metTime        bool // the operand is a date, and a value is a time
	metOffset      bool // such a time has an offset
	isMisspelt     bool // a value is the same number in another spelling
	isIncomparable bool // a value is neither less nor greater
	isByLetter     bool // a number as text compares differently by letter and by value
	sawTimes       bool
	sawOthers      bool     // a value is neither a time nor absent
	seen           []string // distinct values that an exact condition did not match
	isSeen         map[string]bool
	isMany         bool // there are more values, or longer ones
}

func newComparison(condition rs.Condition) *comparison {
	c := &comparison{Condition: condition, text: []byte(condition.Value)}
	c.number, c.isNumber = scalar.ParseDecimal(c.text)
	if condition.Number {
		return c
	}
	if c.at, c.isTime = scalar.Instant(c.text); !c.isTime {
		c.at, c.isPeriod = scalar.Period(c.text)
	} else if condition.Operator == "" && c.isDate() && c.at.Format(time.DateOnly) != condition.Value {
		c.isTime = false // such as 30 February
	}
	return c
}

// holds reports whether a value other than an array meets the comparison.
func (c *comparison) holds(value rawjson.Value) bool {
	v := scalar.Of(value)
	c.sawTimes = c.sawTimes || v.Kind == scalar.Time
	c.sawOthers = c.sawOthers || v.Kind != scalar.Time && v.Kind != scalar.None
	switch {
	case c.Operator == "":
		return c.equals(value)
	case v.Kind == scalar.None:
		return false
	case v.Kind == scalar.Number && c.isNumber:
		return c.inRange(v.Decimal.Compare(c.number))
	case v.Kind == scalar.Time && (c.isTime || c.isPeriod):
		if c.isDate() && !scalar.IsDate(v.Text) {
			c.metTime = true
			c.metOffset = c.metOffset || bytes.ContainsAny(v.Text[len(time.DateOnly):], "+-")
		}
		return c.inRange(v.Time.Compare(c.at))
	case v.Kind == scalar.Text && c.Number:
		number, isNumber := scalar.ParseDecimal(v.Text)
		return isNumber && c.inRange(number.Compare(c.number))
	case v.Kind == scalar.Text && c.isTime:
		at, isPeriod := scalar.Period(v.Text)
		return isPeriod && c.inRange(at.Compare(c.at))
	case v.Kind == scalar.Text:
		holds := c.inRange(bytes.Compare(v.Text, c.text))
		if c.isNumber && !c.isByLetter {
			number, isNumber := scalar.ParseDecimal(v.Text)
			c.isByLetter = isNumber && c.inRange(number.Compare(c.number)) != holds
		}
		return holds
	}
	c.isIncomparable = true
	return false
}

// equals reports whether the text of a value is the operand.
func (c *comparison) equals(value rawjson.Value) bool {
	var room [32]byte
	switch rawjson.Kind(value) {
	case rawjson.StringValue:
		text := scalar.TextOf(value)
		if bytes.Equal(text, c.text) {
			return true
		}
		c.addSeen(text)
		if c.isDate() && !c.metTime && len(text) > len(c.text) {
			_, c.metTime = scalar.Instant(text)
		}
	case rawjson.Number:
		text := scalar.AppendNumber(room[:0], value)
		if bytes.Equal(text, c.text) {
			return true
		}
		c.addSeen(text)
		if c.isNumber && !c.isMisspelt {
			number, isNumber := scalar.ParseDecimal(value)
			c.isMisspelt = isNumber && number.Compare(c.number) == 0
		}
	case rawjson.Boolean:
		return string(value) == c.Value
	}
	return false
}

// inRange reports whether an order (-1, 0 or +1) of a value and the operand satisfies the operator.
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

func (c *comparison) isDate() bool { return c.isTime && scalar.IsDate(c.text) }

// Limits of the values that an exact condition without a match keeps.
const (
	maxSeen       = 1_000 // values, which are searched for a near miss
	maxShown      = 10
	maxValueBytes = 80 // bytes of a value
)

func (c *comparison) addSeen(value []byte) {
	if c.isSeen[string(value)] {
		return
	}
	if len(value) > maxValueBytes || len(c.seen) == maxSeen {
		c.isMany = true
		return
	}
	if c.isSeen == nil {
		c.isSeen = map[string]bool{}
	}
	c.isSeen[string(value)] = true
	c.seen = append(c.seen, string(value))
}
