package display

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Rows prints rows one by one: as JSON, as CSV, or what --jq or --template make of each.
type Rows struct {
	format  *Format
	columns []string // of CSV, after the first rows
	strange []string // members of later rows that have no column
}

// Rows returns a printer of rows. Forms without one of their own print JSON lines.
func (f *Format) Rows() *Rows { return &Rows{format: f} }

// GoOn reads what an earlier run printed and goes on behind it. CSV keeps the columns of its heading.
func (r *Rows) GoOn(earlier io.ReadSeeker) error {
	if r.format.chosen == formatCSV {
		heading, err := csv.NewReader(earlier).Read()
		if err != nil {
			return invocation.Failf("what an earlier run left is no CSV: %v", err)
		}
		r.columns = heading
	}
	_, err := earlier.Seek(0, io.SeekEnd)
	return err
}

// Write prints rows as whole lines.
func (r *Rows) Write(ctx context.Context, rows []json.RawMessage) error {
	switch {
	case r.format.selection != nil:
		for _, row := range rows {
			if err := r.format.selectFrom(ctx, row); err != nil {
				return err
			}
		}
		return nil
	case r.format.template != nil:
		lines, err := r.format.template.lines(rows)
		if err != nil {
			return err
		}
		return r.format.write(lines)
	case r.format.chosen == formatCSV:
		return r.writeCSV(rows)
	}
	var lines bytes.Buffer
	for _, row := range rows {
		if err := json.Compact(&lines, row); err != nil {
			return fmt.Errorf("read a row: %w", err)
		}
		lines.WriteByte('\n')
	}
	return r.format.write(lines.Bytes())
}

// End says on stderr what CSV had no column for. Its columns are those of the first page that has rows.
func (r *Rows) End() error {
	if len(r.strange) == 0 {
		return nil
	}
	return invocation.Failf("the CSV lacks %d members that only later rows have: %v; use --format jsonl, or name the fields", len(r.strange), r.strange)
}

func (r *Rows) writeCSV(rows []json.RawMessage) error {
	if len(rows) == 0 {
		return nil
	}
	flat := flattened(rows)
	var lines bytes.Buffer
	writer := csv.NewWriter(&lines)
	if r.columns == nil {
		r.columns = memberNames(flat)
		_ = writer.Write(r.columns) // a buffer takes everything
	}
	for _, row := range flat {
		cells := make([]string, len(r.columns))
		for _, member := range row {
			if at := slices.Index(r.columns, member.Name); at >= 0 {
				cells[at] = csvCell(member.Value)
			} else if !slices.Contains(r.strange, member.Name) {
				r.strange = append(r.strange, member.Name)
			}
		}
		_ = writer.Write(cells)
	}
	writer.Flush()
	return r.format.write(lines.Bytes())
}

// flattened are rows with the members of their data beside their own. One that both have gets the prefix "data.".
func flattened(rows []json.RawMessage) []rawjson.Object {
	flat := make([]rawjson.Object, len(rows))
	for i, row := range rows {
		members, ok := rawjson.ParseObject(row)
		if !ok {
			flat[i] = rawjson.Object{{Name: "value", Value: row}}
			continue
		}
		for _, member := range members {
			fields, isObject := rawjson.ParseObject(member.Value)
			if member.Name != "data" || !isObject {
				flat[i] = append(flat[i], member)
				continue
			}
			flat[i] = appendFields(flat[i], members, fields)
		}
	}
	return flat
}

// appendFields appends the fields of a record, but not the one that repeats the id beside them.
func appendFields(flat, members, fields rawjson.Object) rawjson.Object {
	for _, field := range fields {
		if beside := members.Get(field.Name); beside != nil {
			if bytes.Equal(beside, field.Value) {
				continue
			}
			field.Name = "data." + field.Name
		}
		flat = append(flat, field)
	}
	return flat
}

// csvCell is a string without quotes, nothing for null, and any other value as JSON.
func csvCell(value json.RawMessage) string {
	if plain, isText := rawjson.Text(value); isText || rawjson.Kind(value) == rawjson.Null {
		return plain
	}
	compact, err := rawjson.Compact(value)
	if err != nil {
		return string(value)
	}
	return string(compact)
}

// rowsOf returns the rows of structured output that is read at once: records, hits, groups, or the rows of a list. Any other
// output is one row.
func rowsOf(structured json.RawMessage) []json.RawMessage {
	outer, _ := rawjson.ParseObject(structured)
	data := outer.Get("data")
	inner, _ := rawjson.ParseObject(data)
	for _, list := range []json.RawMessage{outer.Get("results"), inner.Get("groups"), inner.Get("data"), data} {
		if rows, isList := rawjson.Elements(list); isList {
			return rows
		}
	}
	return []json.RawMessage{structured}
}
