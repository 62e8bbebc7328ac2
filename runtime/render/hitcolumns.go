package render

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// column is a value that the text shows next to the id of a hit (R-SEARCH-4).
type column int

// The columns in the order of the text.
const (
	wordsColumn column = iota
	evidenceColumn
	snippetColumn
	titleColumn
	authorColumn
	containerColumn
	amountColumn
	stateColumn
	timeColumn
	streamColumn
	connectionColumn
	connectorColumn
	nameColumn
	columnCount
)

var columnNames = [columnCount]string{
	"words", "evidence", "snippet", "title", "author", "container", "amount", "state", "time",
	wire.Stream, wire.ConnectionID, "connector_key", "display_name",
}

// addedName is the member with the time at which a record was collected. addedWord introduces it in text, where a time
// is expected.
const (
	addedName = "emitted_at"
	addedWord = "added "
)

// sourceColumns describe the source of a hit, in the order of structured output.
var sourceColumns = []column{connectionColumn, connectorColumn, streamColumn, nameColumn}

// text returns the text of a column, or "". The id shows some of them already.
func (h *hit) text(c column) string {
	switch c {
	case snippetColumn:
		return h.snippet
	case titleColumn:
		return h.ownTitle
	case authorColumn:
		return h.author
	case containerColumn:
		return h.container
	case amountColumn:
		return h.amount
	case stateColumn:
		return h.state
	case timeColumn:
		if h.added != "" {
			return addedWord + h.added
		}
		return h.time
	case streamColumn:
		if !h.shows(h.stream) || h.isBare() {
			return h.stream
		}
	case connectionColumn:
		if !h.embedded {
			return h.connectionID
		}
	case connectorColumn:
		return h.connectorKey
	case nameColumn:
		return h.displayName
	}
	return ""
}

// isBare reports whether the hit has no value next to its id but its stream. A row needs a column.
func (h *hit) isBare() bool {
	for c := range columnCount {
		if c != streamColumn && h.has(c) {
			return false
		}
	}
	return true
}

// has reports whether the hit has a value in a column.
func (h *hit) has(c column) bool {
	switch c {
	case wordsColumn:
		return h.Words != nil
	case evidenceColumn:
		return len(h.excerpts) > 0
	}
	return h.text(c) != ""
}

// mayHave reports whether the record of a hit may have a value of a column that the hit lacks (R-CLAIM-6).
func (h *hit) mayHave(c column) bool {
	return h.isUnread && !h.has(c) && slices.Contains([]column{titleColumn, authorColumn, containerColumn, amountColumn, stateColumn, timeColumn}, c)
}

// appendValue appends the value of a column, which is null without one, and unread for a value that was not looked up.
func (h *hit) appendValue(out []byte, c column) []byte {
	switch {
	case h.mayHave(c):
		return append(out, unread...)
	case !h.has(c):
		return append(out, "null"...)
	case c == wordsColumn:
		return append(out, rawjson.Strings("", h.Words).Value...)
	case c == evidenceColumn:
		return appendByField(out, h.excerpts)
	}
	return rawjson.AppendQuote(out, h.text(c))
}

// unread is the value of a row in place of one that was not read.
const unread = "{}"

// appendRow appends the hit as a row of the text, with the calls that continue its excerpts. A hit without an excerpt
// is fetched.
func (h *hit) appendRow(text []byte, columns []column) []byte {
	start := len(text)
	if len(columns) == 0 {
		text = append(appendText(append(text, '{'), wire.ID, h.handle), `,"data":{}}`...)
	} else {
		text = rawjson.AppendQuote(append(text, '['), h.handle)
		for _, c := range columns {
			text = h.appendValue(append(text, ','), c)
		}
		text = append(text, ']')
	}
	text = rawjson.MakeVisible(text, start)
	for _, each := range h.excerpts {
		if !each.isWhole {
			text = append(text, indent+"next: "+tool.FieldTool+" "...)
			start = len(text)
			text = rawjson.MakeVisible(append(text, each.arguments...), start)
		}
	}
	if len(h.excerpts) == 0 && h.isRecord() {
		text = append(append(text, indent...), Line(h.fetch())...)
	}
	return text
}

// appendResult appends the hit for structured.results (R-SEARCH-5).
func (h *hit) appendResult(out []byte) []byte {
	out = appendText(appendText(appendText(append(out, '{'), wire.ID, h.handle), "title", h.title), "url", h.url)
	for _, member := range []struct{ name, text string }{
		{wire.ConnectionID, h.connectionID},
		{"connector_key", h.connectorKey},
		{wire.Stream, h.stream},
		{"display_name", h.displayName},
		{wire.RecordID, h.recordID},
		{"author", h.author},
		{"container", h.container},
		{"amount", h.amount},
		{"state", h.state},
		{"time", h.time},
		{addedName, h.added},
	} {
		if member.text != "" {
			out = appendText(out, member.name, member.text)
		}
	}
	if h.isUnread {
		out = append(rawjson.AppendName(out, "unread"), "true"...)
	}
	if h.Words != nil {
		out = append(rawjson.AppendName(out, columnNames[wordsColumn]), rawjson.Strings("", h.Words).Value...)
	}
	if h.snippet != "" {
		out = appendText(out, "snippet", h.snippet)
	}
	if len(h.excerpts) > 0 {
		out = appendExcerpts(rawjson.AppendName(out, "evidence"), h.excerpts)
	}
	return append(out, '}')
}
