package display

import (
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// kind is what people use a column for. Columns are ordered by their kinds, and the first ones keep their place on a narrow screen.
type kind int

const (
	contentKind kind = iota // the title of a row, or the text of rows without titles
	amountKind
	timeKind
	personKind
	textKind
	namedIDKind // an id that the command lists on purpose
	otherKind
	idKind
	handleKind // the id by which commands name the row
	emptyKind  // no row has a value
)

// unlimited is the width of a column that is never cut.
const unlimited = 1 << 16

// minWidth returns the width below which a column is hidden.
func (k kind) minWidth() int {
	switch k {
	case contentKind, textKind:
		return 24
	case personKind:
		return 14
	case otherKind:
		return 10
	}
	return unlimited
}

// fairWidth returns the width that a column gets before the columns after textKind get any.
func (k kind) fairWidth() int {
	switch k {
	case contentKind, textKind:
		return 48
	case personKind:
		return 24
	}
	return unlimited
}

func (k kind) style() string {
	switch k {
	case timeKind, idKind, namedIDKind:
		return faint
	case handleKind:
		return cyan
	}
	return ""
}

// kindOf guesses the kind of a column from the name of its field.
func kindOf(name string, isTime bool, cells []string) kind {
	words := strings.Split(strings.ToLower(name), "_")
	last := words[len(words)-1]
	is := func(word string, known ...string) bool { return slices.Contains(known, word) }
	switch {
	case !slices.ContainsFunc(cells, func(cell string) bool { return cell != "" }):
		return emptyKind
	case isTime:
		return timeKind
	case is(last, "id", "ids", "sha", "sha256", "etag", "ref", "uri", "references") || strings.HasPrefix(name, "in_reply_to"):
		return idKind
	case is(words[0], "from", "sender", "author", "artist", "actor", "creator", "payee") && !is(last, "email"), name == "user_name":
		return personKind
	case is(last, "amount", "price", "total"):
		return amountKind
	case tool.TitleRole.Has(name):
		return contentKind
	case is(last, "text", "body", "snippet", "message", "content", "description", "preview", "excerpt", "note"):
		return textKind
	case len(words) > 1 && tool.TitleRole.Has(last) && !is(words[0], "display", "channel", "album", "file"):
		return contentKind
	}
	return otherKind
}

// rankKinds keeps the first column of each kind that people read, so that similar dates and texts do not fill the screen. The text is
// the content of rows without titles.
func rankKinds(columns []column) {
	first := map[kind]int{}
	for i := range columns {
		kind := columns[i].kind
		if _, seen := first[kind]; seen && kind < otherKind {
			columns[i].kind = otherKind
		} else if !seen {
			first[kind] = i
		}
	}
	_, hasTitle := first[contentKind]
	if text, hasText := first[textKind]; hasText && !hasTitle {
		columns[text].kind = contentKind
	}
}
