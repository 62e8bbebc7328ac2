package display

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// List is the part of a list from the resource server that people read.
type List struct {
	Data       []json.RawMessage `json:"data"`
	Groups     []json.RawMessage `json:"groups"`
	Others     json.Number       `json:"other_count"`
	Value      json.RawMessage   `json:"value"`
	HasMore    bool              `json:"has_more"`
	NextCursor string            `json:"next_cursor"`
	Bookmark   string            `json:"next_changes_since"`
	Meta       struct {
		Count    json.RawMessage   `json:"count"`
		Warnings []json.RawMessage `json:"warnings"`
	} `json:"meta"`
}

// Page is the part of structured output that people read.
type Page struct {
	Stream        string            `json:"stream"` // of records of one stream
	Data          List              `json:"data"`
	GroupsLeftOut int               `json:"groups_left_out"`
	Results       []json.RawMessage `json:"results"` // of a search
	Title         string            `json:"title"`
	Text          string            `json:"text"`
	Note          string            `json:"note"`
	NotSearched   string            `json:"not_searched"`
	LimitUsed     int               `json:"limit_used"`
	Reading       *struct {
		Records  int    `json:"records_read"`
		Matched  int    `json:"matched"`
		Complete bool   `json:"complete"`
		Note     string `json:"note"`
	} `json:"reading"`
	Window *struct {
		Text  string `json:"text"`
		Start int    `json:"start_chars"`
		End   int    `json:"end_chars"`
		Total int    `json:"total_chars"`
		Next  *int   `json:"next_offset_chars"`
	} `json:"window"`
}

// ReadPage reads the structured output of a tool.
func ReadPage(structured json.RawMessage) (page Page, err error) {
	return page, json.Unmarshal(structured, &page)
}

// Total is the number of rows on all pages, if the resource server reports it.
type Total struct {
	Kind  string `json:"kind"` // exact, estimated or none
	Value int    `json:"value"`
}

// ReadTotal reads meta.count of a page. The zero value is an unknown total.
func ReadTotal(count json.RawMessage) (total Total) {
	_ = json.Unmarshal(count, &total) // another form is unknown too
	return total
}

func (t Total) String() string {
	if t.Kind == "estimated" {
		return fmt.Sprintf("about %d", t.Value)
	}
	return fmt.Sprint(t.Value)
}

// shapeTable returns the table of a result, or its text if it has no rows. More says how to see the rows after a page.
func shapeTable(shape tool.Table, result *tool.Result, screen screen, more string) string {
	p, err := ReadPage(result.Structured)
	if err != nil {
		return screen.text(result.Text)
	}
	switch {
	case shape == tool.RowTable && len(p.Data.Data) > 0:
		table := recordTable(p.Data.Data)
		return table.render(screen) + screen.footer(p.rowLines(table, "row", more)...)
	case shape == tool.HitTable && len(p.Results) > 0:
		table := hitTable(p.Results)
		return table.render(screen) + screen.footer(p.rowLines(table, "hit", more)...)
	case shape == tool.GroupTable && len(p.Data.Groups) > 0:
		return groupTable(objectsOf(p.Data.Groups), screen).render(screen) + screen.footer(append(p.groupLines(), p.remarks()...)...)
	case shape == tool.GroupTable && p.Data.Value != nil:
		return invocation.OneLine(cellOf(p.Data.Value)) + screen.footer(p.remarks()...)
	case shape == tool.DocumentTable && p.Text != "":
		title := screen.style(bold, invocation.OneLine(p.Title))
		return strings.TrimPrefix(title+"\n\n"+screen.text(p.Text), "\n\n")
	case p.Window != nil:
		line := fmt.Sprintf("characters %d to %d of %d", p.Window.Start, p.Window.End, p.Window.Total)
		if p.Window.Next != nil {
			line += fmt.Sprintf("; continue with --%s %d", invocation.FlagName(tool.FieldOffsetChars), *p.Window.Next)
		}
		return screen.text(p.Window.Text) + screen.footer(line)
	}
	return screen.text(result.Text)
}

// listTable returns a table of the named members of a list's rows, and of the optional ones that a row has. Other
// results are shown as text.
func listTable(result *tool.Result, names, optional []string, screen screen) string {
	var list List
	if err := json.Unmarshal(result.Structured, &list); err != nil || len(list.Data) == 0 {
		return screen.text(result.Text)
	}
	rows := objectsOf(list.Data)
	present := memberNames(rows)
	for _, name := range optional {
		if names != nil && slices.Contains(present, name) {
			names = append(slices.Clip(names), name)
		}
	}
	return memberTable(rows, names...).render(screen)
}

// rowLines returns the lines below a table of rows: their number, how to see the others, and the remarks.
func (p *Page) rowLines(table *table, noun, more string) []string {
	line := invocation.Count(table.rowCount(), noun)
	if total := ReadTotal(p.Data.Meta.Count); total.Value > 0 {
		line = fmt.Sprintf("%d of %v %ss", table.rowCount(), total, noun)
	}
	if p.Stream != "" && noun == "row" {
		line += " of " + p.Stream
	}
	switch {
	case !p.Data.HasMore:
		more = ""
	case p.Data.NextCursor == "" && noun == "hit":
		more = fmt.Sprintf("more follow: pass a larger --%s", tool.HitsLimit)
	case p.Data.NextCursor == "":
		more = fmt.Sprintf("more follow: --%s reads one source", invocation.FlagName(tool.RecordsConnectionID))
	default:
		more = "more follow: " + cmp.Or(more, "next_cursor is in --format json")
	}
	return append([]string{table.caption(line, more)}, p.remarks()...)
}

// groupLines returns the lines below a table of groups. They count the groups and records outside the table (R-SURF-8).
func (p *Page) groupLines() []string {
	lines := []string{invocation.Count(len(p.Data.Groups), "group")}
	if p.GroupsLeftOut > 0 {
		lines = append(lines, fmt.Sprintf("%s more do not fit into one result; narrow with a filter", invocation.Count(p.GroupsLeftOut, "group")))
	}
	if count, err := p.Data.Others.Float64(); err == nil && count > 0 {
		lines = append(lines, fmt.Sprintf("%s more records fall outside these %s", p.Data.Others, invocation.Count(len(p.Data.Groups)+p.GroupsLeftOut, "group")))
	}
	return lines
}

// WholeNote returns the note of a result, with what a search left out.
func (p *Page) WholeNote() string {
	if p.NotSearched == "" {
		return p.Note
	}
	return strings.TrimSpace(p.Note + " Not searched: " + p.NotSearched + ".")
}

// remarks returns the notes of a result about the whole page.
func (p *Page) remarks() []string {
	var lines []string
	if note := p.WholeNote(); note != "" {
		lines = append(lines, note)
	}
	if p.LimitUsed > 0 {
		lines = append(lines, fmt.Sprintf("a page of more than %s does not fit into one result; --all prints whole rows", invocation.Count(p.LimitUsed, "row")))
	}
	if p.Reading != nil {
		line := fmt.Sprintf("pdpp-mcp read %s, because the provider cannot filter, sort or group them; %d match", invocation.Count(p.Reading.Records, "record"), p.Reading.Matched)
		if !p.Reading.Complete {
			line += "; more are unread"
		}
		lines = append(lines, line)
		if p.Reading.Note != "" {
			lines = append(lines, p.Reading.Note)
		}
	}
	for _, warning := range p.Data.Meta.Warnings {
		members, _ := rawjson.ParseObject(warning)
		lines = append(lines, "warning: "+cmp.Or(rawjson.TextOf(warning), members.FirstText("message", "code")))
	}
	if p.Data.Bookmark != "" {
		lines = append(lines, "next_changes_since is in --format json")
	}
	return lines
}
