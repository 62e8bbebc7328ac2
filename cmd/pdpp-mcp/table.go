package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of a table, in columns.
const (
	cellMost    = 40
	columnsMost = 8
)

// table shows a result to a person: rows as a table where there are rows, else its text. What came with the
// data cannot command the terminal.
func table(name string, result *tool.Result, columns int) string {
	var page struct {
		Data struct {
			Data   []json.RawMessage `json:"data"`
			Groups []json.RawMessage `json:"groups"`
		} `json:"data"`
		Results []json.RawMessage `json:"results"`
		IDs     []string          `json:"ids"`
		Text    string            `json:"text"`
	}
	if err := json.Unmarshal(result.Structured, &page); err != nil {
		return printable(result.Text)
	}
	switch {
	case name == "query_records" && len(page.Data.Data) > 0:
		return grid(recordRows(page.Data.Data, page.IDs), columns) + "\n" + paging(result.Text)
	case name == "search" && len(page.Results) > 0:
		return grid(memberRows(page.Results, "id", "title", "snippet"), columns) + "\n" + paging(result.Text)
	case name == "aggregate" && len(page.Data.Groups) > 0:
		return grid(memberRows(page.Data.Groups), columns)
	case name == "fetch" && page.Text != "":
		return printable(page.Text)
	}
	return printable(result.Text)
}

// paging keeps the lines of a text that lead on.
func paging(shown string) string {
	var kept []string
	for line := range strings.SplitSeq(shown, "\n") {
		for _, prefix := range []string{"next_cursor=", "warning", "limit_used="} {
			if strings.HasPrefix(line, prefix) {
				kept = append(kept, printable(line))
			}
		}
	}
	return strings.Join(kept, "\n")
}

// recordRows has a column for the id and one for each field, in the order in which fields first appear.
func recordRows(records []json.RawMessage, ids []string) [][]string {
	fields := make([]json.RawMessage, len(records))
	for i, record := range records {
		fields[i] = record
		members, _ := rs.Members(record)
		for _, member := range members {
			if member.Name == "data" {
				fields[i] = member.Value
			}
		}
	}
	rows := memberRows(fields)
	for i := range rows {
		id := "id"
		if i > 0 {
			id = ""
			if i <= len(ids) {
				id = oneLine(ids[i-1])
			}
		}
		rows[i] = append([]string{id}, rows[i]...)
	}
	return rows
}

// memberRows has a heading and then a row for each object. Without names, all members are columns, as far as
// columnsMost.
func memberRows(objects []json.RawMessage, names ...string) [][]string {
	parsed := make([]map[string]string, len(objects))
	every := len(names) == 0
	for i, object := range objects {
		members, _ := rs.Members(object) // what is no object has no members
		parsed[i] = map[string]string{}
		for _, member := range members {
			if _, seen := parsed[i][member.Name]; every && !seen && !slices.Contains(names, member.Name) && len(names) < columnsMost {
				names = append(names, member.Name)
			}
			parsed[i][member.Name] = cell(member.Value)
		}
	}
	headings := make([]string, len(names))
	for i, name := range names {
		headings[i] = oneLine(name)
	}
	rows := [][]string{headings}
	for _, members := range parsed {
		row := make([]string, len(names))
		for i, name := range names {
			row[i] = members[name]
		}
		rows = append(rows, row)
	}
	return rows
}

// cell is a value on one line; text without its quotes.
func cell(value json.RawMessage) string {
	var plain string
	if err := json.Unmarshal(value, &plain); err == nil {
		return oneLine(plain)
	}
	if string(value) == "null" {
		return ""
	}
	return printable(string(value))
}

// printable takes out what a terminal would obey: control characters other than line breaks and tabs, and
// marks that turn the direction of writing.
func printable(shown string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, shown)
}

// grid aligns rows in columns. The first column, which holds ids, is never cut; columns that do not fit are
// counted below.
func grid(rows [][]string, columns int) string {
	fitting, used := 0, 0
	for column := range rows[0] {
		widest := 0
		for _, row := range rows {
			widest = max(widest, text.StringWidthWithoutEscSequences(row[column]))
		}
		if column > 0 {
			widest = min(widest, cellMost)
		}
		if used += widest + 2; fitting > 1 && used > columns {
			break
		}
		fitting++
	}
	writer := pretty.NewWriter()
	writer.SetStyle(plain)
	for i, row := range rows {
		cells := make(pretty.Row, fitting)
		for column := range cells {
			cells[column] = row[column]
			if column > 0 {
				cells[column] = text.Snip(row[column], cellMost, "…")
			}
		}
		if i == 0 {
			writer.AppendHeader(cells)
			continue
		}
		writer.AppendRow(cells)
	}
	shown := writer.Render()
	if left := len(rows[0]) - fitting; left > 0 {
		shown += fmt.Sprintf("\n%d more columns; widen the terminal, or choose with --fields or --format json", left)
	}
	return shown
}

// plain has columns two spaces apart and no lines, so that a table can be cut up by other programs.
var plain = pretty.Style{
	Name:    "plain",
	Box:     pretty.BoxStyle{PaddingRight: "  "},
	Format:  pretty.FormatOptions{Header: text.FormatDefault},
	Options: pretty.OptionsNoBordersAndSeparators,
}
