package operation

import (
	"cmp"
	"math"

	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// portion is how much of the rows of a stream is shown.
type portion struct {
	rows        int
	fields      int // of each row
	minFields   int // of each row that has as many: if fewer fit, the next portion is tried
	connections int // of each row
	label       int // characters of a display name
	relations   int // of each row

	// Of full rows.
	dropped []string // members that are left out
	schema  int      // maximum bytes of one field's JSON Schema
	isWhole bool     // every field is shown, and every other member regardless of its size
}

// bulkyNames are members of a full row that are left out if the row does not fit. Its JSON Schema and its flags say the same.
var bulkyNames = []string{"freshness", "query", "views", "relationships", capabilitiesName}

// The portions, from the most to the least detailed.
var (
	compactPortions = []portion{
		{connections: 100_000, label: tool.LabelCharacters, relations: 50, minFields: 50},
		{connections: 50, label: 40, relations: 20, minFields: 50},
		{connections: 1, relations: 1, minFields: 1},
	}
	fullPortions = []portion{
		{connections: 100_000, label: tool.LabelCharacters, relations: 50, minFields: math.MaxInt, schema: render.ChannelCharacters, isWhole: true},
		{connections: 5, label: 40, relations: 10, minFields: 50, dropped: bulkyNames, schema: 2_000},
		{connections: 1, relations: 1, minFields: 1, dropped: bulkyNames, schema: 500},
	}
)

// fit returns the first portion that fits, or nil. Every row is shown if some of its fields fit; otherwise the last rows are left out.
func (d *detail) fit(portions []portion) *tool.Result {
	if result := d.fitRows(portions, len(d.rows)); result != nil {
		return result
	}
	smallest := portions[len(portions)-1]
	smallest.fields = min(d.maxFields, smallest.minFields)
	rows := render.Largest(0, len(d.rows)-1, func(rows int) bool {
		smallest.rows = rows
		return d.result(smallest) != nil
	})
	if rows == 0 {
		return nil
	}
	return d.fitRows(portions, rows)
}

// fitRows returns the result of the first portion in which a number of rows fits, or nil.
func (d *detail) fitRows(portions []portion, rows int) *tool.Result {
	for _, shown := range portions {
		shown.rows = rows
		if result := d.fitFields(shown); result != nil {
			return result
		}
	}
	return nil
}

// fitFields returns the result with as many fields as fit, or nil if fewer than the minimum fit.
func (d *detail) fitFields(shown portion) (result *tool.Result) {
	fits := func(fields int) bool {
		shown.fields = fields
		fitting := d.result(shown)
		result = cmp.Or(fitting, result)
		return fitting != nil
	}
	least := min(d.maxFields, shown.minFields)
	if !fits(d.maxFields) && least < d.maxFields && fits(least) {
		render.Largest(least, d.maxFields, fits)
	}
	return result
}
