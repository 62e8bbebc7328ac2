package office

import (
	"bytes"
	"encoding/csv"
	"strings"
)

const maxColumn = 16_384

// row is an open row: its fields, and the number of empty fields after them.
type row struct {
	fields []string
	empty  int
}

func (f *file) cell(value string, times int) {
	r := f.row
	if times = min(times, maxColumn); r == nil || times < 1 {
		return
	}
	if value == "" {
		r.empty += times
		return
	}
	if !f.mayMake(times*(len(value)+1) + r.empty) {
		return
	}
	r.fields = append(r.fields, make([]string, r.empty)...)
	for range times {
		r.fields = append(r.fields, value)
	}
	r.empty = 0
}

// tableRow writes the row of the cells that read adds. It omits empty fields at the end. Of several empty rows in succession, it writes
// one.
func (f *file) tableRow(times int, read func()) {
	outer := f.row
	f.row = &row{}
	read()
	line := csvLine(f.row.fields)
	f.row = outer
	if line == "" {
		if f.captures == 0 && len(f.text) > 0 && !bytes.HasSuffix(f.text, []byte("\n\n")) {
			f.line("")
		}
		return
	}
	for i := 0; i < times && f.failure == nil; i++ {
		f.line(line)
	}
}

func csvLine(fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	var line strings.Builder
	writer := csv.NewWriter(&line)
	_ = writer.Write(fields) // a builder does not fail
	writer.Flush()
	return strings.TrimSuffix(line.String(), "\n")
}
