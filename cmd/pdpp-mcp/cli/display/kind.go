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

// kindOf returns the kind of a column from the role of its field, or from the last word of its name.
func kindOf(name string, isTime bool, cells []string) kind {
	last := name[strings.LastIndexByte(name, '_')+1:]
	has := func(role tool.Role) bool { return role.Has(name) }
	switch {
	case !slices.ContainsFunc(cells, func(cell string) bool { return cell != "" }):
		return emptyKind
	case isTime:
		return timeKind
	case slices.Contains([]string{"id", "ids", "sha", "sha256", "etag", "ref", "uri", "references"}, last) || strings.HasPrefix(name, "in_reply_to"):
		return idKind
	case has(tool.TitleRole):
		return titleKind
	case has(tool.AuthorRole):
		return personKind
	case has(tool.AmountRole):
		return amountKind
	case has(tool.TextRole):
		return textKind
	}
	return otherKind
}

// rankKinds keeps one column of each kind that people read, and otherKind for the rest. Without a title, the text becomes the title.
func rankKinds(columns []column) {
	best := map[kind]int{}
	for i := range columns {
		kind := columns[i].kind
		if kind >= otherKind {
			continue
		}
		first, seen := best[kind]
		switch {
		case !seen:
			best[kind] = i
		case preference(columns[i]) < preference(columns[first]):
			columns[first].kind, best[kind] = otherKind, i
		default:
			columns[i].kind = otherKind
		}
	}
	if _, hasPerson := best[personKind]; !hasPerson { // a field with two roles can be the person, such as artist_name
		isPerson := func(c column) bool { return c.kind == otherKind && tool.AuthorRole.Has(c.name) }
		if i := slices.IndexFunc(columns, isPerson); i >= 0 {
			columns[i].kind = personKind
		}
	}
	_, hasTitle := best[titleKind]
	if text, hasText := best[textKind]; hasText && !hasTitle {
		columns[text].kind = titleKind
	}
}

// preference returns the place of a column's field in the list of its role.
func preference(c column) int {
	role := map[kind]tool.Role{
		titleKind: tool.TitleRole, personKind: tool.AuthorRole, textKind: tool.TextRole, timeKind: tool.TimeRole, amountKind: tool.AmountRole,
	}[c.kind]
	if i := slices.Index(role.Fields, c.name); i >= 0 {
		return i
	}
	return len(role.Fields)
}

// layout sets the width of each column, 0 for a hidden one. It returns the id column that goes below each row, or nil. The columns that
// people read get a fair width first, then the others their minimum, and then all share the rest.
func (t *table) layout(screenWidth int) (below *column) {
	left, isFirst := screenWidth+columnGap, true
	place := func(columns []*column) {
		for _, c := range columns {
			width := min(c.natural, cmp.Or(minWidths[c.kind], unlimited))
			if isFirst { // one column is always shown
				width = min(width, left-columnGap)
			}
			if width+columnGap <= left {
				c.width, isFirst = width, false
				left -= width + columnGap
			}
		}
	}
	widen := func(columns []*column, limits map[kind]int) {
		for _, c := range columns {
			if c.width > 0 {
				more := max(0, min(min(c.natural, cmp.Or(limits[c.kind], unlimited))-c.width, left))
				c.width += more
				left -= more
			}
		}
	}
	read := t.ofKinds(readKinds...)
	others := t.ofKinds(otherKind, idKind)
	place(read)
	for _, handle := range t.ofKinds(handleKind) {
		if handle.natural+columnGap <= left || len(t.columns) == 1 {
			place([]*column{handle})
		} else {
			below = handle
		}
	}
	widen(read, fairWidths)
	place(others)
	widen(append(read, others...), nil)
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
