package condition_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/condition"
)

// Values that the samples do not have.
func TestValuesAsTheyAreSpelled(t *testing.T) {
	for name, test := range map[string]struct {
		fields    string
		condition rs.Condition
		want      bool
	}{
		"2.0 is 2":       {`{"a":2.0}`, rs.Condition{Field: "a", Value: "2"}, true},
		"2.0 is not 2.0": {`{"a":2.0}`, rs.Condition{Field: "a", Value: "2.0"}, false},
		"1e21 is 1e+21":  {`{"a":1e21}`, rs.Condition{Field: "a", Value: "1e+21"}, true},
		"1E-7 is 1e-7":   {`{"a":1E-7}`, rs.Condition{Field: "a", Value: "1e-7"}, true},
		"0.000001 stays": {`{"a":1e-6}`, rs.Condition{Field: "a", Value: "0.000001"}, true},
		"-0 is 0":        {`{"a":-0}`, rs.Condition{Field: "a", Value: "0"}, true},
		"-0.0 is 0":      {`{"a":-0.0}`, rs.Condition{Field: "a", Value: "0"}, true},
		"a big integer keeps its digits": {
			`{"a":9007199254740993}`,
			rs.Condition{Field: "a", Value: "9007199254740993"},
			true,
		},
		"and is not its neighbour": {
			`{"a":9007199254740993}`,
			rs.Condition{Field: "a", Value: "9007199254740992"},
			false,
		},
		"big integers in order": {
			`{"a":9007199254740993}`,
			rs.Condition{Field: "a", Operator: "gt", Value: "9007199254740992"},
			true,
		},
		"larger than 64 bits": {
			`{"a":123456789012345678901234567890}`,
			rs.Condition{Field: "a", Operator: "gt", Value: "123456789012345678901234567889"},
			true,
		},
		"a number of no size": {
			`{"a":1e999999999}`,
			rs.Condition{Field: "a", Operator: "gt", Value: "1"},
			false,
		},
		"a string with escapes":              {`{"a":"caf\u00e9 \"x\""}`, rs.Condition{Field: "a", Value: `café "x"`}, true},
		"a name with escapes":                {`{"\u0061":"x"}`, rs.Condition{Field: "a", Value: "x"}, true},
		"digits in a string are that string": {`{"a":"10"}`, rs.Condition{Field: "a", Value: "10"}, true},
		"and are ordered as text":            {`{"a":"10"}`, rs.Condition{Field: "a", Operator: "lt", Value: "9"}, true},
		"an element that is null":            {`{"a":[null]}`, rs.Condition{Field: "a", Value: "null"}, false},
		"the last of very many elements": {
			`{"a":[` + strings.Repeat(`0,`, 10_000) + `1]}`,
			rs.Condition{Field: "a", Value: "1"},
			true,
		},
		"an array in an array":        {`{"a":[["x"]]}`, rs.Condition{Field: "a", Value: "x"}, false},
		"blanks between tokens":       {`{ "a" : [ 1 , 2.50 ] }`, rs.Condition{Field: "a", Value: "2.5"}, true},
		"a nested field of that name": {`{"b":{"a":1}}`, rs.Condition{Field: "a", Value: "1"}, false},
		"a leap second is text": {
			`{"a":"2026-06-30T23:59:60Z"}`,
			rs.Condition{Field: "a", Operator: "gte", Value: "2026-01-01"},
			false,
		},
		"no object": {`[1]`, rs.Condition{Field: "a", Value: "1"}, false},
		"no record": {``, rs.Condition{Field: "a", Value: "1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			filter := condition.New(rs.Filter{test.condition})
			if got := filter.Match(rawjson.NewCursor(rawjson.Value(test.fields))); got != test.want {
				t.Errorf("%+v holds for %s: %v", test.condition, test.fields, got)
			}
		})
	}
}

func TestNoConditionHoldsForAll(t *testing.T) {
	filter := condition.New(nil)
	if !filter.Match(rawjson.NewCursor(rawjson.Value(`{}`))) || len(filter.Fields()) != 0 ||
		filter.Warnings(time.UTC) != nil {
		t.Errorf("%v, %v", filter, filter.Warnings(time.UTC))
	}
}

// R-SCAN-8: what is read leaves nothing behind.
func TestMatchingAllocatesNothing(t *testing.T) {
	filter := condition.New(rs.Filter{
		{Field: "at", Operator: "gte", Value: "2026-01-01"},
		{Field: "at", Operator: "lt", Value: "2027-01-01"},
		{Field: "amount", Operator: "gt", Value: "1.5"},
		{Field: "n", Value: "2.5"},
		{Field: "from", Value: "ada@example.com"},
		{Field: "labels", Value: "inbox"},
	})
	fields := rawjson.Value(
		`{"id":"m1","at":"2026-03-01T23:30:00-05:00","amount":12.25,"n":2.50,"from":"ada@example.com","labels":["new","inbox"]}`)
	if !filter.Match(rawjson.NewCursor(fields)) {
		t.Fatal("does not hold")
	}
	if allocations := testing.AllocsPerRun(100, func() { filter.Match(rawjson.NewCursor(fields)) }); allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
}
