package display

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// maxBar is the maximum width of a bar. A bar that is shorter than minBar is not drawn.
const (
	minBar = 8
	maxBar = 60
)

// eighths are the parts of a cell that a bar fills, from one eighth to the whole cell.
var eighths = []rune("▏▎▍▌▋▊▉█")

// groupTable shows the groups of an aggregate. On a terminal, groups with numbers get bars. The largest number fills
// the width (R-VIEW-5).
func groupTable(groups []rawjson.Object, screen screen) *table {
	table := memberTable(groups)
	values := barValues(groups)
	if !screen.isTerminal || len(values) < 2 {
		return table
	}
	used := 0
	for _, c := range table.columns {
		used += c.natural + columnGap
	}
	if width := min(screen.columns-used, maxBar); width >= minBar {
		table.addColumn(column{kind: barKind}, bars(values, width))
	}
	return table
}

// barValues returns the value of each group, or its count. It returns nil if a group has no number.
func barValues(groups []rawjson.Object) []float64 {
	for _, name := range []string{"value", "count"} {
		var values []float64
		for _, group := range groups {
			value, err := strconv.ParseFloat(cellOf(group.Get(name)), 64)
			if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
				break
			}
			values = append(values, value)
		}
		if len(values) == len(groups) {
			return values
		}
	}
	return nil
}

// bars returns a bar for each value, the longest as wide as width. With values of both signs, bars begin at a common
// zero.
func bars(values []float64, width int) []string {
	low, high := min(slices.Min(values), 0), max(slices.Max(values), 0)
	if low == high {
		return make([]string, len(values))
	}
	zero := 0
	if low < 0 {
		zero = int(math.Round(-low / (high - low) * float64(width)))
	}
	drawn := make([]string, len(values))
	for i, value := range values {
		length := math.Abs(value) / (high - low) * float64(width)
		if value < 0 {
			cells := min(int(math.Ceil(length)), zero)
			drawn[i] = strings.Repeat(" ", zero-cells) + strings.Repeat("▒", cells)
			continue
		}
		drawn[i] = strings.Repeat(" ", zero) + bar(length, width-zero)
	}
	return drawn
}

// bar returns a bar of a length in cells, to an eighth of a cell. A value above zero has at least one eighth.
func bar(length float64, width int) string {
	parts := min(int(math.Round(length*8)), width*8)
	if length > 0 {
		parts = max(parts, 1)
	}
	drawn := strings.Repeat("█", parts/8)
	if rest := parts % 8; rest > 0 {
		drawn += string(eighths[rest-1])
	}
	return drawn
}
