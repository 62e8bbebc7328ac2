package display

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Rows prints rows one by one: as JSON, CSV or TSV, or what --jq selects of each. A table is printed at the end.
type Rows struct {
	AreHits bool // search results: a table has columns of their own, and other formats print them as plain rows

	format  *Format
	columns []string // of CSV: the members of the first page that has rows
	missing []string // members of later rows that have no column
	kept    []json.RawMessage
	count   int
}

// Rows returns a printer of rows. Its default format is JSON lines.
func (f *Format) Rows() *Rows { return &Rows{format: f, columns: f.columns} }

// PlainRows returns a printer of rows that prints a table on a terminal.
func (f *Format) PlainRows() *Rows {
	if _, isTerminal := f.Terminal.Width(); isTerminal && f.chosen == "" && f.selection == nil {
		f.chosen = formatTable
	}
	return f.Rows()
}

// IsTable reports whether the rows are printed as a table.
func (r *Rows) IsTable() bool { return r.format.chosen == formatTable }

// Write prints rows as whole lines.
func (r *Rows) Write(ctx context.Context, rows []json.RawMessage) error {
	defer func() { r.count += len(rows) }()
	if r.AreHits && !r.isHitTable() {
		for i, hit := range rows {
			rows[i] = plainHit(hit)
		}
	}
	switch {
	case r.IsTable():
		r.kept = append(r.kept, rows...)
		return nil
	case r.format.selection != nil:
		for _, row := range rows {
			if err := r.format.selectFrom(ctx, row); err != nil {
				return err
			}
		}
		return nil
	case r.format.chosen == formatCSV, r.format.chosen == formatTSV:
		return r.writeCSV(rows)
	}
	var lines bytes.Buffer
	for i, row := range rows {
		if r.format.columns != nil {
			row = r.project(row)
		}
		switch isList := r.format.chosen == formatJSON; {
		case isList && r.count+i == 0:
			lines.WriteString("[")
		case isList:
			lines.WriteString(",\n ")
		}
		if err := json.Compact(&lines, row); err != nil {
			return fmt.Errorf("read a row: %w", err)
		}
		if r.format.chosen != formatJSON {
			lines.WriteByte('\n')
		}
	}
	return r.format.write(lines.Bytes())
}

// project keeps the chosen columns of a row. A missing one is null.
func (r *Rows) project(row json.RawMessage) json.RawMessage {
	members, _ := rawjson.ParseObject(row)
	var kept rawjson.Object
	for _, name := range r.format.columns {
		value := memberAt(members, name)
		if value == nil {
			value = json.RawMessage("null")
		}
		kept = append(kept, rawjson.Raw(name, value))
	}
	return kept.Encode()
}

// End ends a JSON list, or prints the table with a note about the rows that follow. It returns an error that names the members without a
// CSV column.
func (r *Rows) End(more string) error {
	switch {
	case len(r.missing) > 0:
		return invocation.Failf("the CSV lacks %s that only later rows have: %s; use --format jsonl, or name the fields with --fields",
			invocation.Count(len(r.missing), "member"), invocation.OneLine(strings.Join(r.missing, ", ")))
	case r.IsTable():
		return r.printTable(more)
	case r.format.chosen != formatJSON || r.format.selection != nil:
		return nil
	case r.count == 0:
		return r.format.write([]byte("[]\n"))
	}
	return r.format.write([]byte("]\n"))
}

// isHitTable reports whether the rows are search results that are printed as a table with columns of their own.
func (r *Rows) isHitTable() bool { return r.AreHits && r.IsTable() && r.format.columns == nil }

func (r *Rows) printTable(more string) error {
	screen := screenOf(r.format.Terminal)
	screen.isBare = r.format.noHeaders
	table, noun := rowTable(objectsOf(r.kept), r.format.columns...), "row"
	if r.isHitTable() {
		table, noun = hitTable(r.kept, nil), "hit"
	}
	table.advice = "--columns, --format json"
	line := table.summary(invocation.Count(len(r.kept), noun))
	if more != "" {
		line += "; " + more
	}
	if len(r.kept) == 0 {
		return r.format.show(line)
	}
	return r.format.show(table.render(screen) + screen.footer(line))
}

// WriteRecord prints one row: as a list of its fields for people, or as one JSON object.
func (r *Rows) WriteRecord(ctx context.Context, row json.RawMessage) error {
	if r.IsTable() {
		return r.format.show(recordText(row, r.format.columns, screenOf(r.format.Terminal)))
	}
	if r.format.chosen == formatJSON {
		r.format.chosen = formatLines
	}
	return errors.Join(r.Write(ctx, []json.RawMessage{row}), r.End(""))
}

// recordText returns the fields of a record that have a value, one on a line. Fields with long text come last, as paragraphs.
func recordText(row json.RawMessage, names []string, screen screen) string {
	members, _ := rawjson.ParseObject(row)
	if names == nil {
		names = memberNames([]rawjson.Object{members.Without(handleName)})
	}
	width := 0
	for _, name := range names {
		width = max(width, invocation.Width(invocation.OneLine(name))+columnGap)
	}
	var lines, texts []string
	for _, name := range names {
		value := memberAt(members, name)
		cell := cellOf(value)
		if local, _, isTime := localTimes([]string{cell}); isTime {
			cell = local[0]
		}
		switch label := screen.style(bold, invocation.OneLine(name)); {
		case cell == "" || cell == "[]" || cell == "{}":
		case tool.TextRole.Has(name) && (strings.Contains(cell, "\n") || invocation.Width(cell) > screen.columns-width):
			texts = append(texts, "", label, screen.text(cell))
		default:
			padding := strings.Repeat(" ", width-invocation.Width(invocation.OneLine(name)))
			lines = append(lines, label+invocation.WrapLine(padding+invocation.OneLine(cell), screen.columns-width, strings.Repeat(" ", width)))
		}
	}
	return strings.Join(append(lines, texts...), "\n") + screen.footer(members.Text(handleName))
}

// PlainGroups returns the rows of an aggregate: its groups, or its value as one row.
func PlainGroups(structured json.RawMessage) []json.RawMessage {
	rows := rowsOf(structured)
	if len(rows) == 1 && string(rows[0]) == string(structured) {
		members, _ := rawjson.ParseObject(structured)
		rows[0] = rawjson.Object{rawjson.Raw("value", memberAt(members, "data.value"))}.Encode()
	}
	return rows
}

func (r *Rows) writeCSV(rows []json.RawMessage) error {
	if len(rows) == 0 {
		return nil
	}
	flat := flattened(rows)
	var lines bytes.Buffer
	writer := csv.NewWriter(&lines)
	clean := strings.NewReplacer() // CSV quotes what it must
	if r.format.chosen == formatTSV {
		writer.Comma = '\t'
		clean = strings.NewReplacer("\t", " ", "\r", " ", "\n", " ", `"`, "'")
	}
	if r.columns == nil {
		r.columns = memberNames(flat)
	}
	if r.count == 0 && !r.format.noHeaders {
		_ = writer.Write(r.columns) // a buffer never fails
	}
	for _, row := range flat {
		cells := make([]string, len(r.columns))
		for i, name := range r.columns {
			cells[i] = clean.Replace(csvCell(memberAt(row, name)))
		}
		for _, member := range row {
			if r.format.columns == nil && !slices.Contains(r.columns, member.Name) && !slices.Contains(r.missing, member.Name) {
				r.missing = append(r.missing, member.Name)
			}
		}
		_ = writer.Write(cells)
	}
	writer.Flush()
	return r.format.write(lines.Bytes())
}

// flattened returns rows with the members of their data next to their own, as data.NAME if the name is taken by another value.
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
			for _, field := range fields {
				taken := members.Get(field.Name)
				if bytes.Equal(taken, field.Value) && taken != nil {
					continue
				}
				if taken != nil {
					field.Name = "data." + field.Name
				}
				flat[i] = append(flat[i], field)
			}
		}
	}
	return flat
}

// csvCell returns a string without its quotes, nothing for null, and any other value as compact JSON.
func csvCell(value json.RawMessage) string {
	if text, isText := rawjson.Text(value); isText || value == nil || rawjson.Kind(value) == rawjson.Null {
		return text
	}
	compact, err := rawjson.Compact(value)
	if err != nil {
		return string(value)
	}
	return string(compact)
}

// rowsOf returns the rows of structured output: records, hits, groups, or the rows of a list. Any other output is one row.
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
