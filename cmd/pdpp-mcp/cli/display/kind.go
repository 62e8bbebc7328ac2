package display

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// kind is the purpose of a column. Columns are shown in the order of their kinds.
type kind int

const (
	titleKind kind = iota // the title of a row, or the text of rows without titles
	personKind
	textKind
	timeKind
	amountKind
	namedIDKind // an id column that the command names
	barKind     // a bar, which has no name
	otherKind
	idKind
	handleKind // the handle by which commands name the row
	emptyKind  // no row has a value
)

// readKinds are the kinds that people read, in the order in which they get space on a narrow screen.
var readKinds = []kind{titleKind, amountKind, timeKind, personKind, textKind, namedIDKind, barKind}

const unlimited = 1 << 16

// minWidths are the widths at which a column is shown. fairWidths are the widths that a column gets before less
// important columns get space. A kind without a width is as wide as its widest cell.
var (
	minWidths  = map[kind]int{titleKind: 22, textKind: 22, personKind: 14, otherKind: 10}
	fairWidths = map[kind]int{titleKind: 48, textKind: 48, personKind: 24}
)

// sampleWidths are the minWidths of the other kinds in a table whose rows are a sample, and the space that it keeps for
// the handle.
var sampleWidths = map[kind]int{amountKind: 12, timeKind: 16, namedIDKind: 20, idKind: 20, handleKind: 30}

// roles are the roles of the fields in columns of a kind.
var roles = map[kind]tool.Role{
	titleKind: tool.TitleRole, personKind: tool.AuthorRole, amountKind: tool.AmountRole, textKind: tool.TextRole, timeKind: tool.TimeRole,
}

// kindOf returns the kind of a column from the role of its field, or from the last word of its name. Columns that
// people read keep their kind without a value, so that the kind does not depend on the number of rows.
func kindOf(name string, isTime bool, cells []string) kind {
	last := name[strings.LastIndexByte(name, '_')+1:]
	hasValue := slices.ContainsFunc(cells, func(cell string) bool { return cell != "" })
	if isTime || !hasValue && tool.TimeRole.Has(name) {
		return timeKind
	}
	if slices.Contains([]string{"id", "ids", "sha", "sha256", "etag", "ref", "uri", "references"}, last) || strings.HasPrefix(name, "in_reply_to") {
		if !hasValue {
			return emptyKind
		}
		return idKind
	}
	for _, kind := range []kind{titleKind, personKind, amountKind, textKind} {
		if roles[kind].Has(name) {
			return kind
		}
	}
	if !hasValue {
		return emptyKind
	}
	return otherKind
}

// rankKinds keeps one column of each kind that people read, and otherKind for the rest that has a value. Without a
// title, the text becomes the title.
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
			switch {
			case c == best:
			case c.isEmpty():
				c.kind = emptyKind
			default:
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

// layout sets the width of each column, 0 for a hidden one. It returns the handle column if it goes below each row, or
// nil. The columns that people read are shown first. In a sample, the rows do not decide which columns are shown, only
// how wide they are.
func (t *table) layout(screenWidth int) (below *column) {
	left, isFirst := screenWidth+columnGap, true
	show := func(columns []*column) {
		for _, c := range columns {
			width := t.minWidth(c)
			if isFirst { // one column is always shown
				width = min(width, screenWidth)
			}
			if width+columnGap <= left {
				c.width, isFirst = width, false
				left -= width + columnGap
			}
		}
	}
	// grow widens the shown columns up to the width of their kinds, or to the widest cell.
	grow := func(columns []*column, widths map[kind]int) {
		for _, c := range columns {
			if c.width > 0 {
				more := max(0, min(min(c.natural, cmp.Or(widths[c.kind], unlimited))-c.width, left))
				c.width += more
				left -= more
			}
		}
	}
	read, others, handles := t.ofKinds(readKinds...), t.ofKinds(otherKind, idKind), t.ofKinds(handleKind)
	show(read)
	room := 0
	for _, handle := range handles {
		if kept := t.minWidth(handle) + columnGap; kept <= left {
			room = kept
		}
	}
	left -= room
	show(others)
	left += room
	for _, c := range append(read, others...) {
		left += max(0, c.width-c.natural)
		c.width = min(c.width, c.natural)
	}
	grow(t.ofKinds(amountKind, timeKind, namedIDKind), nil)
	for _, handle := range handles {
		if handle.natural+columnGap <= left || len(t.columns) == 1 {
			handle.width = min(handle.natural, screenWidth)
			left -= handle.width + columnGap
		} else {
			below = handle
		}
	}
	grow(read, fairWidths)
	grow(append(read, others...), nil)
	return below
}

// minWidth returns the width at which a column is shown. In a sample it does not depend on the cells.
func (t *table) minWidth(c *column) int {
	width := cmp.Or(minWidths[c.kind], c.natural)
	if t.isSample {
		return cmp.Or(minWidths[c.kind], sampleWidths[c.kind])
	}
	return min(width, c.natural)
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
