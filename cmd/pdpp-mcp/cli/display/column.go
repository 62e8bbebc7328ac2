package display

import (
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/render"
)

// column is a column of a table.
type column struct {
	Name string
	Kind kind

	right bool // numbers
}

// kind is what people use a column for. Kinds stand in the order in which they get a place on a narrow screen.
type kind int

// The kinds of columns. Those before otherKind are what people read.
const (
	titleKind  kind = iota - 7
	handleKind      // the id of a row, to be copied: never cut, and on a line of its own if it is long
	timeKind
	actorKind // who wrote, sent or played it
	amountKind
	textKind
	namedIDKind // of something else, which a command shows on purpose; never cut
	otherKind
	idKind    // of something else; never cut
	emptyKind // no row has a value
)

// places is the order of kinds from left to right.
var places = []kind{timeKind, actorKind, titleKind, amountKind, textKind, namedIDKind, otherKind, idKind, handleKind, emptyKind}

func (k kind) place() int { return slices.Index(places, k) }

// read reports whether people read a column before all others.
func (k kind) read() bool { return k < otherKind }

// uncut is the least width of a column that is never cut.
const uncut = 1 << 16

// least returns the width below which a column of the kind is not shown.
func (k kind) least() int {
	switch k {
	case handleKind, timeKind, amountKind, idKind, namedIDKind:
		return uncut
	case titleKind, textKind:
		return 24
	case actorKind:
		return 14
	}
	return 10
}

// most returns the width that a column gets before others are shown beside it.
func (k kind) most() int {
	switch k {
	case titleKind, textKind:
		return 48
	case actorKind:
		return 24
	}
	return uncut
}

func (k kind) look() string {
	switch k {
	case timeKind, idKind, namedIDKind:
		return faint
	case handleKind:
		return cyan
	}
	return ""
}

// kindOf guesses what a field holds from its name, as sources call their fields. Timed is whether all values are times.
func kindOf(name string, timed bool, cells []string) kind {
	words := strings.Split(strings.ToLower(name), "_")
	last := words[len(words)-1]
	is := func(word string, known ...string) bool { return slices.Contains(known, word) }
	switch {
	case !slices.ContainsFunc(cells, func(each string) bool { return each != "" }):
		return emptyKind
	case timed:
		return timeKind
	case is(last, "id", "ids", "sha", "sha256", "etag", "ref", "uri", "references") || strings.HasPrefix(name, "in_reply_to"):
		return idKind
	case is(words[0], "from", "sender", "author", "artist", "actor", "creator", "payee") && !is(last, "email"), name == "user_name":
		return actorKind
	case is(last, "amount", "price", "total"):
		return amountKind
	case render.IsTitle(name), is(name, "counterparty"):
		return titleKind
	case is(last, "text", "body", "snippet", "message", "content", "description", "preview", "excerpt", "note"):
		return textKind
	case len(words) > 1 && render.IsTitle(last) && !is(words[0], "display", "channel", "album", "file"):
		return titleKind
	}
	return otherKind
}

// oneOfAKind leaves the first column of each kind that people read, and makes the others otherKind, so that dates or texts that
// say the same do not fill the screen.
func oneOfAKind(columns []column) {
	seen := map[kind]bool{}
	for i := range columns {
		kind := columns[i].Kind
		if kind.read() && seen[kind] {
			columns[i].Kind = otherKind
		}
		seen[kind] = true
	}
}
