package display

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of a table, in columns.
const (
	cellMost     = 40
	cellLeast    = 12 // least width of a column that is cut to fit
	columnsApart = 2
)

// Table renders rows as a table of at most so many columns, and results without rows as their text. Control characters
// are escaped.
func Table(shape tool.Table, result *tool.Result, columns int) string {
	var page struct {
		Data struct {
			Data   []json.RawMessage `json:"data"`
			Groups []json.RawMessage `json:"groups"`
			Others json.Number       `json:"other_count"`
		} `json:"data"`
		GroupsLeftOut int               `json:"groups_left_out"`
		Results       []json.RawMessage `json:"results"`
		Text          string            `json:"text"`
	}
	if err := json.Unmarshal(result.Structured, &page); err != nil {
		return invocation.Printable(result.Text)
	}
	switch {
	case shape == tool.RowTable && len(page.Data.Data) > 0:
		return grid(recordRows(page.Data.Data), columns, "choose with --fields, or see all with --format json") + paging(result.Text)
	case shape == tool.HitTable && len(page.Results) > 0:
		return grid(hitRows(page.Results), columns, seeAll) + paging(result.Text)
	case shape == tool.GroupTable && len(page.Data.Groups) > 0:
		return grid(memberRows(page.Data.Groups), columns, seeAll) +
			cutGroups(len(page.Data.Groups), page.GroupsLeftOut, page.Data.Others) + paging(result.Text)
	case shape == tool.DocumentTable && page.Text != "":
		return invocation.Printable(page.Text)
	}
	return invocation.Printable(result.Text)
}

// AnswerTable renders the rows of a list as a table with the named members, and any other result as its text.
func AnswerTable(result *tool.Result, names []string, columns int) string {
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(result.Structured, &list); err != nil || len(list.Data) == 0 {
		return invocation.Printable(result.Text)
	}
	return strings.TrimRight(grid(memberRows(list.Data, names...), columns, seeAll), "\n")
}

// seeAll is the advice when columns do not fit.
const seeAll = "see all with --format json"

// cutGroups notes what a table of groups lacks: groups that did not fit into the result, and records in groups that the
// resource server did not send (R-SURF-8).
func cutGroups(shown, leftOut int, others json.Number) string {
	var lines string
	if leftOut > 0 {
		lines += fmt.Sprintf("\n%d more groups do not fit into one result; narrow with a filter", leftOut)
	}
	if count, err := others.Float64(); err == nil && count > 0 {
		lines += fmt.Sprintf("\nother_count=%s: so many records are in other groups; these %d are the top ones only", others, shown+leftOut)
	}
	return lines
}

// paging returns the lines of a text that concern the page as a whole, each preceded by a line break.
func paging(shown string) string {
	var kept strings.Builder
	keep := func(prefixes ...string) (found bool) {
		for line := range strings.SplitSeq(shown, "\n") {
			if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(line, prefix) }) {
				kept.WriteString("\n" + invocation.Printable(line))
				found = true
			}
		}
		return found
	}
	keep("warning", "limit_used=", "rows_left_out=", "more_sources=", "read_by=")
	if !keep("next_cursor=", "next_changes_since=") {
		keep("next: ", "try: ") // calls of the page; those that read on within a row are indented
	}
	return kept.String()
}

// recordRows returns a heading and a row for each record: its handle, then its fields in the order of their first appearance.
func recordRows(records []json.RawMessage) [][]string {
	fields := make([]json.RawMessage, len(records))
	handles := []string{"id"}
	for i, record := range records {
		members, _ := rawjson.ParseObject(record)
		fields[i] = members.Get("data")
		handles = append(handles, invocation.OneLine(members.Text("handle")))
	}
	rows := memberRows(fields)
	for i := range rows {
		rows[i] = append([]string{handles[i]}, rows[i]...)
	}
	return rows
}

// marks removes the highlight tags of a snippet.
var marks = strings.NewReplacer("<mark>", "", "</mark>", "")

// hitRows returns a heading and a row for each hit: its handle, its title, and its snippet or else its first excerpt.
func hitRows(results []json.RawMessage) [][]string {
	rows := [][]string{{"id", "title", "snippet"}}
	for _, result := range results {
		var hit struct {
			ID, Title, Snippet string
			Evidence           []struct{ Preview string }
		}
		_ = json.Unmarshal(result, &hit) // a malformed hit gets empty columns
		if hit.Snippet == "" && len(hit.Evidence) > 0 {
			hit.Snippet = hit.Evidence[0].Preview
		}
		rows = append(rows, []string{invocation.OneLine(hit.ID), invocation.OneLine(hit.Title), invocation.OneLine(marks.Replace(hit.Snippet))})
	}
	return rows
}

// memberRows returns a heading and a row for each object. Without names, all members are columns, in the order of their
// first appearance. A dot in a name leads into a nested object.
func memberRows(objects []json.RawMessage, names ...string) [][]string {
	if len(names) == 0 {
		names = memberNames(objects)
	}
	headings := make([]string, len(names))
	for i, name := range names {
		headings[i] = invocation.OneLine(name)
	}
	rows := [][]string{headings}
	for _, object := range objects {
		members, _ := rawjson.ParseObject(object) // a value that is no object gets an empty row
		row := make([]string, len(names))
		for i, name := range names {
			row[i] = cell(memberAt(members, name))
		}
		rows = append(rows, row)
	}
	return rows
}

func memberNames(objects []json.RawMessage) []string {
	var names []string
	for _, object := range objects {
		members, _ := rawjson.ParseObject(object)
		for _, member := range members {
			if !slices.Contains(names, member.Name) {
				names = append(names, member.Name)
			}
		}
	}
	return names
}

// memberAt returns the member of that name, which dots may lead into nested objects, or nil.
func memberAt(members rawjson.Object, name string) json.RawMessage {
	outer, inner, nested := strings.Cut(name, ".")
	if value := members.Get(name); value != nil || !nested {
		return value
	}
	within, _ := rawjson.ParseObject(members.Get(outer))
	return memberAt(within, inner)
}

// cell renders a value on one line, and a string without its quotes.
func cell(value json.RawMessage) string {
	var plain string
	if err := json.Unmarshal(value, &plain); err == nil {
		return invocation.OneLine(plain)
	}
	return invocation.OneLine(string(value))
}

// grid aligns rows within so many terminal columns. The first column, which holds ids, is never cut; the last one that
// fits takes the remaining width. The columns that do not fit are counted and named below, with the advice.
func grid(rows [][]string, columns int, advice string) string {
	widths := fittingWidths(rows, columns)
	writer := pretty.NewWriter()
	writer.SetStyle(plain)
	for i, row := range rows {
		cells := make(pretty.Row, len(widths))
		for column, widest := range widths {
			cells[column] = row[column]
			if column > 0 {
				cells[column] = text.Snip(row[column], widest, "…")
			}
		}
		if i == 0 {
			writer.AppendHeader(cells)
			continue
		}
		writer.AppendRow(cells)
	}
	lines := strings.Split(writer.Render(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ") // padding of the last column
	}
	shown := strings.Join(lines, "\n")
	if hidden := rows[0][len(widths):]; len(hidden) > 0 {
		shown += fmt.Sprintf("\n%d of %d columns do not fit; %s\n%s", len(hidden), len(rows[0]), advice,
			text.Snip("not shown: "+strings.Join(hidden, ", "), columns, "…"))
	}
	return shown
}

// fittingWidths returns the widths of the columns that fit, at least that of the first.
func fittingWidths(rows [][]string, columns int) []int {
	var widths []int
	left := columns
	for column := range rows[0] {
		widest := 0
		for _, row := range rows {
			widest = max(widest, text.StringWidthWithoutEscSequences(row[column]))
		}
		if column > 0 {
			widest = min(widest, cellMost)
			if widest > left && left < cellLeast {
				break
			}
			widest = min(widest, left)
		}
		widths = append(widths, widest)
		left -= widest + columnsApart
	}
	return widths
}

// plain separates columns by two spaces and draws no lines, so that other programs can parse a table.
var plain = pretty.Style{
	Name:    "plain",
	Box:     pretty.BoxStyle{PaddingRight: "  "},
	Format:  pretty.FormatOptions{Header: text.FormatDefault},
	Options: pretty.OptionsNoBordersAndSeparators,
}
