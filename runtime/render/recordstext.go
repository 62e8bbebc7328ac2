package render

import (
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Bounds of a page's text.
const (
	sourcesShown          = 10
	fieldsPreviewed       = 20    // of one row
	rowPreviewLeast       = 400   // characters of one row's preview when there are many rows
	rowPreviewMost        = 3_000 // and when there are few
	valueCharacters       = 120   // characters of one previewed text when there are many rows
	valuePreviewMost      = 800   // and when there are few
	labelCharacters       = 100   // characters of a display label
	previewNoteCharacters = 40    // rows_without_preview=… and its line break
)

// text is the page in text: what it is, how to go on, every row's handle, and previews of the first
// rows as far as they fit (R-BUD-5).
func (p *page) text() string {
	lines := p.head()
	rows := p.rows[:p.shown]
	free := TextCharacters - p.handlesLength()
	least := free / max(1, len(rows))
	perRow := min(max(least, rowPreviewLeast), rowPreviewMost)
	perValue := min(max(perRow/6, valueCharacters), valuePreviewMost)
	without := 0
	for i, row := range rows {
		lines = append(lines, row.handleLine())
		if without > 0 {
			continue
		}
		preview := row.preview(perRow, perValue)
		length := Length(strings.Join(preview, "\n")) + 1
		if length > free {
			without = len(rows) - i
			continue
		}
		free -= length
		lines = append(lines, preview...)
	}
	if without > 0 {
		lines = append(lines, fmt.Sprintf("rows_without_preview=%d", without))
		if first := rows[len(rows)-without]; first.canFetch() {
			lines = append(lines, first.fetch().Line())
		}
	}
	return strings.Join(lines, "\n")
}

// handlesLength is the length of the text before any preview is added.
func (p *page) handlesLength() int {
	length := previewNoteCharacters
	for _, line := range p.head() {
		length += Length(line) + 1
	}
	longest := 0
	for _, row := range p.rows[:p.shown] {
		length += Length(row.handleLine()) + 1
		longest = max(longest, Length(row.fetch().Line()))
	}
	return length + longest
}

func (p *page) head() []string {
	count := countToken(p.meta())
	head := line(
		"records", Token("stream", p.input.Stream), IntToken("rows", int64(p.shown)),
		BoolToken("has_more", string(p.get("has_more")) == "true" || p.leftOut() > 0), count,
	)
	lines := append([]string{head}, p.again.lines("rows")...)
	if p.leftOut() > 0 {
		lines = append(lines, fmt.Sprintf(
			"rows_left_out=%d: they do not fit into one result. No cursor is given, since it would skip them. "+
				"Call again with a limit of at most %d, or with fewer fields.", p.leftOut(), p.smallerLimit()))
	} else {
		for _, name := range []string{"next_cursor", "next_changes_since"} {
			if handle := p.list.text(name); handle != "" {
				lines = append(lines, Token(name, handle))
			}
		}
	}
	lines = append(lines, warningLines(p.meta())...)
	lines = append(lines, p.sourceLines()...)
	if p.short != nil {
		lines = append(lines, p.short.line())
	}
	for _, call := range p.calls() {
		lines = append(lines, call.Line())
	}
	return lines
}

func (p *page) sourceLines() []string {
	var lines []string
	for i, source := range p.sources() {
		if i == sourcesShown {
			return append(lines, fmt.Sprintf("more_sources=%d", len(p.sources())-i))
		}
		if source.connectionID == "" {
			continue
		}
		label, _ := Clip(source.displayName, labelCharacters)
		connector, _ := Clip(source.connectorKey, labelCharacters)
		lines = append(lines, "source "+line(
			Token("connection_id", source.connectionID), tokenIf("connector_key", connector),
			tokenIf("display_name", label), IntToken("rows", int64(source.rows)),
		))
	}
	return lines
}

// handleLine names the row, and says when it is a tombstone (R-QRY-4).
func (r *row) handleLine() string {
	if !r.members.True("deleted") {
		return r.tokens()
	}
	at, _ := Clip(r.members.Text("deleted_at"), labelCharacters)
	return line(r.tokens(), "deleted=true", tokenIf("deleted_at", at))
}

// preview shows the row's fields, each clipped text with the call that continues it (R-QRY-2).
func (r *row) preview(characters, perValue int) []string {
	var tokens, calls []string
	used, more, counted := 0, 0, false
	for _, field := range r.fields {
		preview := previewField(field.Name, field.Value, perValue)
		if whole, cut := r.whole[field.Name]; cut {
			text, _ := rawjson.Text(field.Value)
			preview = previewCut(SourceName(field.Name), text, whole, perValue)
		}
		if preview.token == "" || r.repeatsHandle(field.Name, field.Value) {
			continue
		}
		call, length := "", Length(preview.token)+1
		counted = counted || preview.counted || preview.clipped && !r.canRead(field.Name)
		if preview.clipped && r.canRead(field.Name) {
			call = "  " + r.readField(field.Name).Line()
			length += Length(call) + 1
		}
		if len(tokens) == fieldsPreviewed || used+length > characters {
			more++
			continue
		}
		used += length
		tokens = append(tokens, preview.token)
		if call != "" {
			calls = append(calls, call)
		}
	}
	if more > 0 {
		tokens = append(tokens, IntToken("more_fields", int64(more)))
	}
	if (more > 0 || counted || r.members.Get(expandedName) != nil) && r.canFetch() {
		calls = append(calls, "  "+r.fetchExpanded().Line())
	}
	tokens = append(tokens, r.expandedTokens()...)
	if len(tokens) == 0 {
		return calls
	}
	return append([]string{"  " + strings.Join(tokens, " ")}, calls...)
}

// repeatsHandle spares the field that holds what the handle already says.
func (r *row) repeatsHandle(name string, value []byte) bool {
	text, ok := rawjson.Text(value)
	return ok && name == "id" && text == r.recordID
}

// fetchExpanded reads the whole record, with the relations that this page has of it.
func (r *row) fetchExpanded() Call {
	call := r.fetch()
	relations, _ := rawjson.ParseObject(r.members.Get(expandedName))
	if names := passable(namesOf(relations)); names != nil {
		call.Arguments = append(call.Arguments, rawjson.Strings("expand", names))
	}
	return call
}

// expandedTokens count the records of each expanded relation.
func (r *row) expandedTokens() []string {
	expanded, _ := rawjson.ParseObject(r.members.Get(expandedName))
	var tokens []string
	for i, relation := range expanded {
		if i == sourcesShown {
			break
		}
		name, _ := Clip(relation.Name, labelCharacters)
		tokens = append(tokens, IntToken(expandedPrefix+name, int64(len(relatedRecords(relation.Value)))))
	}
	return tokens
}
