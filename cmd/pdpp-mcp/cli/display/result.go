package display

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Page is what is shown of structured output.
type Page struct {
	Shared json.RawMessage `json:"shared"` // members that all rows have in common
	Data   struct {
		Data       []json.RawMessage `json:"data"`
		Groups     []json.RawMessage `json:"groups"`
		Others     json.Number       `json:"other_count"`
		HasMore    bool              `json:"has_more"`
		NextCursor string            `json:"next_cursor"`
		Bookmark   string            `json:"next_changes_since"`
		Meta       struct {
			Count json.RawMessage `json:"count"` // a Count; in a search, a number
		} `json:"meta"`
	} `json:"data"`
	GroupsLeftOut int               `json:"groups_left_out"`
	Results       []json.RawMessage `json:"results"` // of a search
	Title         string            `json:"title"`
	Text          string            `json:"text"`
	Note          string            `json:"note"`
	Window        *window           `json:"window"`
}

// Count is how many rows all pages have, as far as the resource server says.
type Count struct {
	Kind  string `json:"kind"` // exact, estimated or none
	Value int    `json:"value"`
}

// String returns the number, behind "about" if it is estimated.
func (c Count) String() string {
	if c.Kind == "estimated" {
		return fmt.Sprintf("about %d", c.Value)
	}
	return strconv.Itoa(c.Value)
}

// ofShape shows structured output as a table, and results without rows as their text. Control characters are escaped. More
// says how to see rows that follow.
func ofShape(shape tool.Table, result *tool.Result, screen screen, more string) string {
	var read Page
	if err := json.Unmarshal(result.Structured, &read); err != nil {
		return screen.text(result.Text)
	}
	switch {
	case shape == tool.RowTable && len(read.Data.Data) > 0:
		table, prefix := recordTable(read.Data.Data, screen.Columns)
		table.Advice = "--fields, --format json"
		return table.Render(screen) + footer(screen, read.counted(table, read.stream(), more)+ids(prefix)) + read.remarks(screen, result.Text, more)
	case shape == tool.HitTable && len(read.Results) > 0:
		table := hitTable(read.Results, read.Shared, screen)
		table.Advice = seeAll
		return table.Render(screen) + footer(screen, read.counted(table, "hits", more)) + read.remarks(screen, result.Text, more)
	case shape == tool.GroupTable && len(read.Data.Groups) > 0:
		table := memberTable(objectsOf(read.Data.Groups))
		table.Advice = seeAll
		return table.Render(screen) + footer(screen, read.cutGroups()) + read.remarks(screen, result.Text, "")
	case shape == tool.DocumentTable && read.Text != "":
		return document(screen, read)
	case read.Window != nil:
		return read.Window.show(screen)
	}
	return screen.text(result.Text)
}

// ofMembers shows the rows of a list as a table with the named members and those others that a row has, and any other result as its
// text.
func ofMembers(result *tool.Result, names, others []string, screen screen) string {
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(result.Structured, &list); err != nil || len(list.Data) == 0 {
		return screen.text(result.Text)
	}
	rows := objectsOf(list.Data)
	had := memberNames(rows)
	if names != nil {
		names = slices.Concat(names, slices.DeleteFunc(slices.Clone(others), func(name string) bool { return !slices.Contains(had, name) }))
	}
	table := memberTable(rows, names...)
	table.Advice = seeAll
	return table.Render(screen)
}

// seeAll is the advice when columns do not fit.
const seeAll = "--format json"

// footer is lines below a table, set apart from it and wrapped to the screen.
func footer(screen screen, lines string) string {
	if lines = strings.Trim(lines, "\n"); lines == "" {
		return ""
	}
	shown := "\n"
	for line := range strings.SplitSeq(lines, "\n") {
		shown += screen.notices(line)
	}
	return shown
}

// notices wraps a line to the screen, and precedes each part with a line break.
func (s screen) notices(line string) string {
	shown := ""
	for part := range strings.SplitSeq(invocation.WrapLine(line, s.Columns, ""), "\n") {
		shown += "\n" + s.Notice(part)
	}
	return shown
}

// stream is what the rows of a page are, such as messages.
func (p *Page) stream() string {
	shared, _ := rawjson.ParseObject(p.Shared)
	return cmp.Or(invocation.OneLine(shared.Text("stream")), "rows") // a single row shares nothing
}

// counted says how many rows a page has, of how many, in which zone their times are, and how to see the others. Several
// connections are paged one at a time.
func (p *Page) counted(table *table, what, more string) string {
	line := fmt.Sprintf("%d %s", len(table.Rows), what)
	var all Count
	if json.Unmarshal(p.Data.Meta.Count, &all) != nil { // a search counts with a number
		_ = json.Unmarshal(p.Data.Meta.Count, &all.Value)
	}
	if all.Value > 0 {
		line = fmt.Sprintf("%d of %v %s", len(table.Rows), all, what)
	}
	if table.zone != "" && table.zone != "UTC" {
		line += ", times in " + table.zone
	}
	switch {
	case p.Data.HasMore && p.Data.NextCursor == "":
		line += fmt.Sprintf("; more follow: --%s reads one source", invocation.FlagName(tool.RecordsConnectionID))
	case p.Data.HasMore:
		line += "; more follow" + more
	}
	if p.Note != "" {
		line += "\n" + invocation.OneLine(p.Note)
	}
	return line
}

// ids says what the ids of a table leave out.
func ids(prefix string) string {
	if prefix == "" {
		return ""
	}
	return "\nid: " + prefix + "…"
}

// cutGroups says what a table of groups lacks: groups that did not fit into the result, and records in groups that the
// resource server did not send (R-SURF-8).
func (p *Page) cutGroups() string {
	lines := fmt.Sprintf("%d groups", len(p.Data.Groups))
	if p.GroupsLeftOut > 0 {
		lines += fmt.Sprintf("\n%d more groups do not fit into one result; narrow with a filter", p.GroupsLeftOut)
	}
	if count, err := p.Data.Others.Float64(); err == nil && count > 0 {
		lines += fmt.Sprintf("\nother_count=%s: so many records are in other groups; these %d are the top ones only",
			p.Data.Others, len(p.Data.Groups)+p.GroupsLeftOut)
	}
	return lines
}

// remarks returns the lines of a text that concern the page as a whole, wrapped to the screen, and what goes on from it. A cursor
// that does not fit on one line is named only, and that of the next page is left out where more says how to see what follows.
func (p *Page) remarks(screen screen, shown, more string) string {
	prefixes := []string{"warning", "limit_used=", "rows_left_out=", "more_sources=", "read_by="}
	var kept strings.Builder
	for line := range strings.SplitSeq(shown, "\n") {
		if !slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(line, prefix) }) {
			continue
		}
		kept.WriteString(screen.notices(invocation.Printable(line)))
	}
	for _, on := range []struct{ name, value string }{{"next_cursor", p.Data.NextCursor}, {"next_changes_since", p.Data.Bookmark}} {
		if on.value == "" || on.name == "next_cursor" && more != "" {
			continue
		}
		line := invocation.Printable(render.Token(on.name, on.value))
		if text.StringWidthWithoutEscSequences(line) > screen.Columns {
			line = on.name + " is in --format json"
		}
		kept.WriteString(screen.notices(line))
	}
	return kept.String()
}
