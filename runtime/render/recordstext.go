package render

import (
	"fmt"
	"strings"
)

// Bounds of a page's text.
const (
	sourcesShown          = 10
	fieldsPreviewed       = 20    // of one row
	rowPreviewLeast       = 440   // characters of one row's preview when there are many rows
	rowPreviewMost        = 3_000 // and when there are few
	valueCharacters       = 120   // characters of one previewed text when there are many rows
	valuePreviewMost      = 800   // and when there are few
	labelCharacters       = 100   // characters of a display label
	previewNoteCharacters = 40    // rows_without_preview=… and its line break
)

// text is the page in text: what it is, how to go on, every row's handle, and previews of the first
// rows as far as they fit (R-BUD-5).
func (p *page) text() string {
	rows := p.rows[:p.shown]
	free := TextCharacters - p.handlesLength()
	perRow := min(max(free/max(1, len(rows)), rowPreviewLeast), rowPreviewMost)
	previews := rowPreviews{perRow: perRow, perValue: min(max(perRow/6, valueCharacters), valuePreviewMost)}
	out := append(make([]byte, 0, TextCharacters+TextCharacters/4), strings.Join(p.head(), "\n")...)
	without := 0
	for i, row := range rows {
		out = append(append(out, '\n'), p.handles[i]...)
		if without > 0 {
			continue
		}
		start := len(out)
		out = previews.append(out, row)
		if free -= rawLength(out[start:]); free < 0 {
			out, without = out[:start], len(rows)-i
		}
	}
	if without > 0 {
		out = fmt.Appendf(out, "\nrows_without_preview=%d", without)
		if first := rows[len(rows)-without]; first.canFetch() {
			out = first.fetch().appendLine(append(out, '\n'))
		}
	}
	return string(out)
}

// fetchMore is how much longer the line that fetches a row is than the one that names it, at most.
const fetchMore = len(`next: fetch {"stream":"","record_id":"","connection_id":""}`)

// handlesLength is the length of the text before any preview is added.
func (p *page) handlesLength() int {
	length := previewNoteCharacters
	for _, line := range p.head() {
		length += Length(line) + 1
	}
	longest := 0
	for _, line := range p.handles[:p.shown] {
		characters := Length(line)
		length += characters + 1
		longest = max(longest, characters)
	}
	return length + longest + fetchMore
}

// head is what stands before the rows.
func (p *page) head() []string {
	if p.heading == nil {
		p.heading = p.newHead()
	}
	return p.heading
}

func (p *page) newHead() []string {
	count := countToken(p.Meta())
	head := line(
		"records", Token("stream", p.input.Stream), IntToken("rows", int64(p.shown)),
		BoolToken("has_more", p.on().hasMore()), count,
	)
	lines := append([]string{head}, p.again.lines("rows")...)
	on := p.on()
	if on.cursor != "" {
		lines = append(lines, Token("next_cursor", on.cursor))
		if !p.input.Call.takes("cursor") {
			lines = append(lines, p.input.Call.Tool+" takes no cursor: it shows this page and no more.")
		}
	}
	if bookmark := p.Text("next_changes_since"); bookmark != "" && on.whole {
		lines = append(lines, Token("next_changes_since", bookmark))
	}
	lines = append(lines, warningLines(p.Meta())...)
	lines = append(lines, p.sourceLines()...)
	lines = append(lines, p.cutLines()...)
	lines = append(lines, on.lines()...)
	for _, call := range on.calls {
		lines = append(lines, call.Line())
	}
	return lines
}

func (p *page) sourceLines() []string {
	var lines []string
	for i, source := range p.sources {
		if i == sourcesShown {
			return append(lines, fmt.Sprintf("more_sources=%d", len(p.sources)-i))
		}
		if source.connectionID == "" {
			continue
		}
		lines = append(lines, "source "+line(
			Token("connection_id", source.connectionID), tokenIf("connector_key", Clip(source.connectorKey, labelCharacters)),
			tokenIf("display_name", Clip(source.displayName, labelCharacters)), IntToken("rows", int64(source.rows)),
		))
	}
	if len(lines) > 1 {
		lines = append(lines, "limit is counted for each connection, and the rows stand one connection after the other: this is no one timeline.")
	}
	return lines
}

// handleLine names the row, and says when it is a tombstone (R-QRY-4).
func (r *row) handleLine() string {
	if !r.members.True("deleted") {
		return r.tokens()
	}
	return line(r.tokens(), "deleted=true", tokenIf("deleted_at", Clip(r.members.Text("deleted_at"), labelCharacters)))
}
