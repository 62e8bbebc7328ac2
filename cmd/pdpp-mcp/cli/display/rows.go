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
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// StartPlainRows chooses a table for rows on a terminal. Hits are search results: a table has other columns for them,
// and other formats print them as plain rows.
func (f *Format) StartPlainRows(areHits bool) {
	if _, isTerminal := f.Terminal.Width(); isTerminal && f.chosen == "" && f.selection == nil {
		f.chosen = formatTable
	}
	f.areHits = areHits
}

// IsTable reports whether the rows are printed as a table.
func (f *Format) IsTable() bool { return f.chosen == formatTable }

// WriteRows prints rows as whole lines: as JSON, CSV or TSV, or what --jq selects of each. A table is printed at the
// end. The default is JSON lines.
func (f *Format) WriteRows(ctx context.Context, rows []json.RawMessage) error {
	defer func() { f.count += len(rows) }()
	if f.areHits && !f.isHitTable() {
		rows = plainHits(rows)
	}
	if err := f.checkColumns(ctx, rows); err != nil {
		return err
	}
	switch {
	case f.IsTable(), f.selectsFromList():
		f.kept = append(f.kept, rows...)
		return nil
	case f.selection != nil:
		for _, row := range rows {
			if err := f.selectFrom(ctx, f.project(row)); err != nil {
				return err
			}
		}
		return nil
	case f.chosen == formatCSV, f.chosen == formatTSV:
		return f.writeCSV(rows)
	}
	var lines bytes.Buffer
	for i, row := range rows {
		row = f.project(row)
		switch isList := f.chosen == formatJSON; {
		case isList && f.count+i == 0:
			lines.WriteString("[")
		case isList:
			lines.WriteString(",\n ")
		}
		if err := json.Compact(&lines, row); err != nil {
			return fmt.Errorf("read a row: %w", err)
		}
		if f.chosen != formatJSON {
			lines.WriteByte('\n')
		}
	}
	return f.write(lines.Bytes())
}

// selectsFromList reports whether --jq selects from the list of all rows, which is what --json prints.
func (f *Format) selectsFromList() bool { return f.selection != nil && f.chosen == formatJSON }

// checkColumns returns an error for a chosen column that rows do not have, with the ones that they have. It needs the
// first rows.
func (f *Format) checkColumns(ctx context.Context, rows []json.RawMessage) error {
	if f.columns == nil || f.isChecked || len(rows) == 0 {
		return nil
	}
	f.isChecked = true
	objects := objectsOf(rows)
	isMissing := func(name string) bool {
		return !slices.ContainsFunc(objects, func(row rawjson.Object) bool { return memberAt(row, name) != nil })
	}
	missing := slices.DeleteFunc(slices.Clone(f.columns), func(name string) bool { return !isMissing(name) })
	if f.isHitTable() || len(missing) == 0 {
		return nil
	}
	known := memberNames(objects)
	if f.Known != nil {
		all, err := f.Known(ctx)
		if err != nil {
			return err
		}
		known = append(slices.DeleteFunc(known, func(name string) bool { return slices.Contains(all, name) }), all...)
	}
	return CheckColumns(missing, known)
}

// CheckColumns returns an error if a name is not a column, with all columns. A dot in a name selects a member of the
// column before it.
func CheckColumns(names, known []string) error {
	for _, name := range names {
		outer, _, _ := strings.Cut(name, ".")
		if !slices.Contains(known, name) && !slices.Contains(known, outer) {
			return invocation.Usagef("unknown column %q; %sthe columns are %s", name, invocation.DidYouMean(name, "", known),
				invocation.OneLine(strings.Join(known, ", ")))
		}
	}
	return nil
}

// project keeps the chosen columns of a row, or all without a choice. A missing one is null.
func (f *Format) project(row json.RawMessage) json.RawMessage {
	if f.columns == nil {
		return row
	}
	members, _ := rawjson.ParseObject(row)
	var kept rawjson.Object
	for _, name := range f.columns {
		value := memberAt(members, name)
		if value == nil {
			value = json.RawMessage("null")
		}
		kept = append(kept, rawjson.Raw(name, value))
	}
	return kept.Encode()
}

// EndRows ends a JSON list, or prints the table with a note about the rows that follow. It returns an error that names
// the members without a CSV column.
func (f *Format) EndRows(ctx context.Context, more string) error {
	switch {
	case len(f.missing) > 0:
		return invocation.Failf("the CSV lacks %s that only later rows have: %s; use --format jsonl, or name the fields with --fields",
			invocation.Count(len(f.missing), "member"), invocation.OneLine(strings.Join(f.missing, ", ")))
	case f.IsTable():
		return f.printTable(more)
	case f.selectsFromList():
		for i, row := range f.kept {
			f.kept[i] = f.project(row)
		}
		return f.selectFrom(ctx, rawjson.Array(f.kept))
	case f.chosen != formatJSON || f.selection != nil:
		return nil
	case f.count == 0:
		return f.write([]byte("[]\n"))
	}
	return f.write([]byte("]\n"))
}

// isHitTable reports whether the rows are search results that are printed as a table with its own columns.
func (f *Format) isHitTable() bool { return f.areHits && f.IsTable() && f.columns == nil }

func (f *Format) printTable(more string) error {
	screen := screenOf(f.Terminal)
	screen.isBare = f.noHeaders
	table, noun := rowTable(objectsOf(f.kept), f.columns...), "row"
	if f.isHitTable() {
		table, noun = hitTable(f.kept), "hit"
	}
	table.advice = "--columns, --format json"
	line := table.caption(invocation.Count(len(f.kept), noun), more)
	if len(f.kept) == 0 {
		return f.show(line)
	}
	return f.show(table.render(screen) + screen.footer(line))
}

// WriteRecord prints one row: as a list of its fields for people, or as one JSON object.
func (f *Format) WriteRecord(ctx context.Context, row json.RawMessage) error {
	if err := f.checkColumns(ctx, []json.RawMessage{row}); err != nil {
		return err
	}
	if f.IsTable() {
		return f.show(recordText(row, f.columns, screenOf(f.Terminal)))
	}
	if f.chosen == formatJSON { // one object, not a list
		f.chosen = formatLines
	}
	return errors.Join(f.WriteRows(ctx, []json.RawMessage{row}), f.EndRows(ctx, ""))
}

// recordText returns the fields of a record that have a value, one on a line. Fields with long text come last, as
// paragraphs.
func recordText(row json.RawMessage, names []string, screen screen) string {
	members, _ := rawjson.ParseObject(row)
	if names == nil {
		names = memberNames([]rawjson.Object{members.Without(HandleColumn)})
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
	return strings.Join(append(lines, texts...), "\n") + screen.footer(members.Text(HandleColumn))
}

func (f *Format) writeCSV(rows []json.RawMessage) error {
	if len(rows) == 0 {
		return nil
	}
	flat := flattened(rows)
	var lines bytes.Buffer
	writer := csv.NewWriter(&lines)
	clean := strings.NewReplacer() // CSV quotes what it must
	if f.chosen == formatTSV {
		writer.Comma = '\t'
		clean = strings.NewReplacer("\t", " ", "\r", " ", "\n", " ", `"`, "'")
	}
	if f.csvColumns == nil {
		f.csvColumns = f.columns
	}
	if f.csvColumns == nil {
		f.csvColumns = memberNames(flat)
	}
	if f.count == 0 && !f.noHeaders {
		_ = writer.Write(f.csvColumns) // a buffer never fails
	}
	for _, row := range flat {
		cells := make([]string, len(f.csvColumns))
		for i, name := range f.csvColumns {
			cells[i] = clean.Replace(csvCell(memberAt(row, name)))
		}
		for _, member := range row {
			if f.columns == nil && !slices.Contains(f.csvColumns, member.Name) && !slices.Contains(f.missing, member.Name) {
				f.missing = append(f.missing, member.Name)
			}
		}
		_ = writer.Write(cells)
	}
	writer.Flush()
	return f.write(lines.Bytes())
}

// flattened returns rows with the members of their data next to their own, as data.NAME if the name is taken by another
// value.
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

// rowsOf returns the rows of structured output: records, hits, groups, or the rows of a list. Any other output is one
// row.
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
