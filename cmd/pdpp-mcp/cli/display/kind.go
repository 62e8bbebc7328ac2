package display

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// kind is what people use a column for. Columns are shown in the order of their kinds.
type kind int

const (
	titleKind kind = iota // the title of a row, or the text of rows without titles
	personKind
	textKind
	timeKind
	amountKind
	namedIDKind // an id column that the command names
	otherKind
	idKind
	handleKind // the id by which commands name the row
	emptyKind  // no row has a value
)

// readKinds are the kinds that people read, in the order in which they get space on a narrow screen.
var readKinds = []kind{titleKind, amountKind, timeKind, personKind, textKind, namedIDKind}

const unlimited = 1 << 16

// minWidths are the widths below which a column is hidden. fairWidths are the widths that a column gets before less important columns get
// space. Columns of kinds without a width are never cut.
var (
	minWidths  = map[kind]int{titleKind: 24, textKind: 24, personKind: 14, otherKind: 10}
	fairWidths = map[kind]int{titleKind: 48, textKind: 48, personKind: 24}
)

// roles are the roles of the fields in columns of a kind.
var roles = map[kind]tool.Role{
	titleKind: tool.TitleRole, personKind: tool.AuthorRole, amountKind: tool.AmountRole, textKind: tool.TextRole, timeKind: tool.TimeRole,
}

// kindOf returns the kind of a column from the role of its field, or from the last word of its name.
func kindOf(name string, isTime bool, cells []string) kind {
	last := name[strings.LastIndexByte(name, '_')+1:]
	switch {
	case !slices.ContainsFunc(cells, func(cell string) bool { return cell != "" }):
		return emptyKind
	case isTime:
		return timeKind
	case slices.Contains([]string{"id", "ids", "sha", "sha256", "etag", "ref", "uri", "references"}, last) || strings.HasPrefix(name, "in_reply_to"):
		return idKind
	}
	for _, kind := range []kind{titleKind, personKind, amountKind, textKind} {
		if roles[kind].Has(name) {
			return kind
		}
	}
	return otherKind
}

// rankKinds keeps one column of each kind that people read, and otherKind for the rest. Without a title, the text becomes the title.
func (t *table) rankKinds() {
	// preference is the place of a column's field in the list of its role.
	preference := func(c *column) int {
		if i := slices.Index(roles[c.kind].Fields, c.name); i >= 0 {
			return i
		}
		return len(roles[c.kind].Fields)
	}
	for kind := range otherKind {
		columns := t.ofKinds(kind)
		if columns == nil {
			continue
		}
		best := slices.MinFunc(columns, func(a, b *column) int { return preference(a) - preference(b) })
		for _, c := range columns {
			if c != best {
				c.kind = otherKind
			}
		}
	}
	others, texts := t.ofKinds(otherKind), t.ofKinds(textKind)
	// A field with two roles can be the person, such as artist_name.
	isPerson := func(c *column) bool { return tool.AuthorRole.Has(c.name) }
	if i := slices.IndexFunc(others, isPerson); i >= 0 && t.ofKinds(personKind) == nil {
		others[i].kind = personKind
	}
	if texts != nil && t.ofKinds(titleKind) == nil {
		texts[0].kind = titleKind
	}
}

// layout sets the width of each column, 0 for a hidden one. It returns the id column that goes below each row, or nil. The columns that
// people read get a fair width first, then the others their minimum, and then all share the rest.
func (t *table) layout(screenWidth int) (below *column) {
	left, isFirst := screenWidth+columnGap, true
	// grow shows columns with the width of their kinds or the widest cell, if there is space, and widens those that are shown.
	grow := func(columns []*column, widths map[kind]int) {
		for _, c := range columns {
			width := min(c.natural, cmp.Or(widths[c.kind], unlimited))
			if c.width > 0 {
				more := max(0, min(width-c.width, left))
				c.width += more
				left -= more
				continue
			}
			if isFirst { // one column is always shown
				width = min(width, left-columnGap)
			}
			if width+columnGap <= left {
				c.width, isFirst = width, false
				left -= width + columnGap
			}
		}
	}
	read := t.ofKinds(readKinds...)
	others := t.ofKinds(otherKind, idKind)
	grow(read, minWidths)
	for _, handle := range t.ofKinds(handleKind) {
		if handle.natural+columnGap <= left || len(t.columns) == 1 {
			grow([]*column{handle}, nil)
		} else {
			below = handle
		}
	}
	grow(read, fairWidths)
	grow(others, minWidths)
	grow(append(read, others...), nil)
	return below
}

// ofKinds returns the columns of some kinds, in the order of the kinds.
func (t *table) ofKinds(kinds ...kind) (columns []*column) {
	for _, kind := range kinds {
		for i := range t.columns {
			if t.columns[i].kind == kind {
				columns = append(columns, &t.columns[i])
			}
		}
	}
	return columns
}
