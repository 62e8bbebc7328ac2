package render

import (
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// rowPreviews shows the fields of rows. Its buffers serve one row after the other.
type rowPreviews struct {
	perRow   int // characters of one row
	perValue int // characters of one text
	calls    []byte
}

// append appends the row's fields on a line of their own, and below them, each on its line, the calls that
// continue clipped texts (R-QRY-2). It appends nothing for a row without fields.
func (p *rowPreviews) append(out []byte, r *row) []byte {
	const indent = "\n  "
	before := len(out)
	out = append(out, "\n "...)
	empty := len(out)
	p.calls = p.calls[:0]
	used, previewed, more, incomplete := 0, 0, 0, false
	for _, field := range r.fields {
		if r.repeatsHandle(field.Name, field.Value) {
			continue
		}
		start, calls := len(out), len(p.calls)
		var shows shown
		if out, shows = appendPreview(append(out, ' '), field.Name, field.Value, p.perValue); shows == nothing {
			out = out[:start]
			continue
		}
		readable := shows.isBeginning() && r.canRead(field.Name)
		incomplete = incomplete || shows == onlyCounted || shows.isBeginning() && !readable
		if readable {
			p.calls = r.readField(field.Name).appendLine(append(p.calls, indent...))
			p.calls = strconv.AppendInt(append(p.calls[:len(p.calls)-1], `,"offset_chars":`...), int64(shows), 10)
			p.calls = append(p.calls, '}')
		}
		length := rawLength(out[start:]) + rawLength(p.calls[calls:])
		if previewed == fieldsPreviewed || used+length > p.perRow {
			out, p.calls = out[:start], p.calls[:calls]
			more++
			continue
		}
		used += length
		previewed++
	}
	if more > 0 {
		out = append(append(out, ' '), IntToken("more_fields", int64(more))...)
	}
	for _, token := range r.expandedTokens() {
		out = append(append(out, ' '), token...)
	}
	if len(out) == empty {
		out = out[:before]
	}
	out = append(out, p.calls...)
	if (more > 0 || incomplete || r.members.Get(expandedName) != nil) && r.canFetch() {
		out = r.fetchExpanded().appendLine(append(out, indent...))
	}
	return out
}

// repeatsHandle spares the field that holds what the handle already says.
func (r *row) repeatsHandle(name string, value []byte) bool {
	if name != "id" {
		return false
	}
	text, ok := rawjson.Text(value)
	return ok && text == r.recordID
}

// fetchExpanded reads the whole record, with the relations that this page has of it.
func (r *row) fetchExpanded() Call {
	relations, _ := rawjson.ParseObject(r.members.Get(expandedName))
	if names := passable(relations.Names()); names != nil {
		return r.fetch(rawjson.Strings(tool.DocumentExpand, names))
	}
	return r.fetch()
}

// expandedTokens count the records of each expanded relation.
func (r *row) expandedTokens() []string {
	expanded, _ := rawjson.ParseObject(r.members.Get(expandedName))
	var tokens []string
	for i, relation := range expanded {
		if i == sourcesShown {
			break
		}
		tokens = append(tokens, IntToken(expandedPrefix+Clip(relation.Name, labelCharacters), int64(len(relatedRecords(relation.Value)))))
	}
	return tokens
}
