package display

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Rows prints rows one by one: as JSON, as CSV, or what --jq selects of each.
type Rows struct {
	format  *Format
	columns []string // of CSV: the members of the first page that has rows
	missing []string // members of later rows that have no column
}

// Rows returns a printer of rows. Forms without one of their own print JSON lines.
func (f *Format) Rows() *Rows { return &Rows{format: f} }

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

// End returns an error that names the members for which CSV had no column.
func (r *Rows) End() error {
	if len(r.missing) == 0 {
		return nil
	}
	return invocation.Failf("the CSV lacks %s that only later rows have: %s; use --format jsonl, or name the fields with --fields",
		invocation.Count(len(r.missing), "member"), invocation.OneLine(strings.Join(r.missing, ", ")))
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
			} else if !slices.Contains(r.missing, member.Name) {
				r.missing = append(r.missing, member.Name)
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
