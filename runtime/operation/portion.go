package operation

import (
	"cmp"
	"math"
	"sort"

	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// portion is how much of the rows of a stream is shown.
type portion struct {
	rows        int
	fields      int // of each row
	connections int // of each row
	label       int // characters of a display name
	relations   int // of each row
	least       int // fields of each row, if it has them: when fewer fit, the next portion is tried

	// Of exhaustive rows.
	dropped []string // of bulky
	schema  int      // bytes of one field's JSON Schema; a larger one is left out
	whole   bool     // every field is shown, and each member that is not dropped whatever its size
}

// bulky are the members of an exhaustive row that are left out when the row does not fit into one result. The JSON Schema and the
// flags say the same.
var bulky = []string{"freshness", "query", "views", "relationships", capabilitiesName}

// The portions of the rows of a stream, and of an exhaustive row, from the most to the least detailed.
var (
	compactPortions = []portion{
		{connections: 100_000, label: tool.LabelCharacters, relations: 50, least: 50},
		{connections: 50, label: 40, relations: 20, least: 50},
		{connections: 1, relations: 1, least: 1},
	}
	fullPortions = []portion{
		{connections: 100_000, label: tool.LabelCharacters, relations: 50, least: math.MaxInt, schema: render.ChannelCharacters, whole: true},
		{connections: 5, label: 40, relations: 10, least: 50, dropped: bulky, schema: 2_000},
		{connections: 1, relations: 1, least: 1, dropped: bulky, schema: 500},
	}
)

// fit is the result of the first portion that fits. Every row is shown as long as it has some fields; then the last rows give
// way, no more of them than must. It is nil when not even one row fits.
func (d *detail) fit(portions []portion) *tool.Result {
	if result := d.fitRows(portions, len(d.rows)); result != nil {
		return result
	}
	smallest := portions[len(portions)-1]
	smallest.fields = min(d.widest, smallest.least)
	rows := most(len(d.rows)-1, func(rows int) bool {
		smallest.rows = rows
		return d.result(smallest) != nil
	})
	if rows == 0 {
		return nil
	}
	return d.fitRows(portions, rows)
}

// fitRows is the result of the first portion in which so many rows fit, or nil when they fit in none.
func (d *detail) fitRows(portions []portion, rows int) *tool.Result {
	for _, shown := range portions {
		shown.rows = rows
		if result := d.fitFields(shown); result != nil {
			return result
		}
	}
	return nil
}

// fitFields is the result with as many fields as fit, or nil when not even the least number of them does.
func (d *detail) fitFields(shown portion) (result *tool.Result) {
	least := min(d.widest, shown.least)
	fits := func(fields int) bool {
		shown.fields = fields
		fitting := d.result(shown)
		result = cmp.Or(fitting, result)
		return fitting != nil
	}
	if !fits(d.widest) && least < d.widest && fits(least) {
		most(d.widest-least, func(more int) bool { return fits(least + more) })
	}
	return result
}

// most is the greatest number up to a limit that fits, or 0 when none does.
func most(limit int, fits func(int) bool) int {
	return sort.Search(limit, func(below int) bool { return !fits(below + 1) })
}
