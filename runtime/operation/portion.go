package operation

import "sort"

// portion is how much of the rows of a stream is shown.
type portion struct {
	rows        int
	fields      int // of each row
	connections int // of each row
	label       int // characters of a display name
	relations   int // of each row, in text
}

// shrinking is what gives way, step by step, when the rows do not fit: connections and their labels.
var shrinking = []portion{
	{connections: 100_000, label: labelCharacters, relations: 50},
	{connections: 100_000, label: 0, relations: 50},
	{connections: 200, label: 40, relations: 20},
	{connections: 50, label: 40, relations: 20},
	{connections: 20, label: 20, relations: 10},
	{connections: 5, label: 20, relations: 5},
	{connections: 1, label: 0, relations: 1},
}

// fieldsWanted is the number of fields of each row below which connections give way first.
const fieldsWanted = 50

// fit is the greatest portion for which fits holds, for so many rows of which the widest has so many
// fields. Every row is shown as long as it has some fields; then the last rows give way. It is false
// when not even one row without fields fits. With less, fits must hold as well.
func fit(rows, fields int, fits func(portion) bool) (portion, bool) {
	for i, shown := range shrinking {
		shown.rows = rows
		shown.fields = fields
		if fits(shown) {
			return shown, true
		}
		shown.fields = most(fields, func(count int) bool { shown.fields = count; return fits(shown) })
		last := i == len(shrinking)-1
		if shown.fields > 0 && (shown.fields >= min(fields, fieldsWanted) || last) {
			return shown, true
		}
	}
	least := shrinking[len(shrinking)-1]
	least.fields = min(fields, fieldsWanted)
	if least.rows = most(rows, func(count int) bool { least.rows = count; return fits(least) }); least.rows > 0 {
		return least, true
	}
	least.rows = 1
	least.fields = most(fields, func(count int) bool { least.fields = count; return fits(least) })
	return least, least.fields > 0 || fits(least)
}

// most is the greatest number up to a limit that fits, or 0 when none does.
func most(limit int, fits func(int) bool) int {
	return sort.Search(limit, func(below int) bool { return !fits(below + 1) })
}
