package display

import (
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/render"
)

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind

	right bool // numbers
}

// Kind is what people use a column for. Kinds stand in the order in which they get a place on a narrow screen.
type Kind int

// The kinds of columns. Those before Other are what people read.
const (
	Title  Kind = iota - 7
	Handle      // the id of a row, to be copied: never cut, and on a line of its own if it is long
	Time
	Actor // who wrote, sent or played it
	Amount
	Text
	namedID // of something else, which a command shows on purpose; never cut
	Other
	ID    // of something else; never cut
	Empty // no row has a value
)

// places is the order of kinds from left to right.
var places = []Kind{Time, Actor, Title, Amount, Text, namedID, Other, ID, Handle, Empty}

func (k Kind) place() int { return slices.Index(places, k) }

// read reports whether people read a column before all others.
func (k Kind) read() bool { return k < Other }

// uncut is the least width of a column that is never cut.
const uncut = 1 << 16

// least returns the width below which a column of the kind is not shown.
func (k Kind) least() int {
	switch k {
	case Handle, Time, Amount, ID, namedID:
		return uncut
	case Title, Text:
		return 24
	case Actor:
		return 14
	}
	return 10
}

// most returns the width that a column gets before others are shown beside it.
func (k Kind) most() int {
	switch k {
	case Title, Text:
		return 48
	case Actor:
		return 24
	}
	return uncut
}

func (k Kind) look() string {
	switch k {
	case Time, ID, namedID:
		return faint
	case Handle:
		return cyan
	}
	return ""
}

// kindOf guesses what a field holds from its name, as sources call their fields. Timed is whether all values are times.
func kindOf(name string, timed bool, cells []string) Kind {
	words := strings.Split(strings.ToLower(name), "_")
	last := words[len(words)-1]
	is := func(word string, known ...string) bool { return slices.Contains(known, word) }
	switch {
	case !slices.ContainsFunc(cells, func(each string) bool { return each != "" }):
		return Empty
	case timed:
		return Time
	case is(last, "id", "ids", "sha", "sha256", "etag", "ref", "uri", "references") || strings.HasPrefix(name, "in_reply_to"):
		return ID
	case is(words[0], "from", "sender", "author", "artist", "actor", "creator", "payee") && !is(last, "email"), name == "user_name":
		return Actor
	case is(last, "amount", "price", "total"):
		return Amount
	case render.IsTitle(name), is(name, "counterparty"):
		return Title
	case is(last, "text", "body", "snippet", "message", "content", "description", "preview", "excerpt", "note"):
		return Text
	case len(words) > 1 && render.IsTitle(last) && !is(words[0], "display", "channel", "album", "file"):
		return Title
	}
	return Other
}

// oneOfAKind leaves the first column of each kind that people read, and makes the others Other, so that dates or texts that say
// the same do not fill the screen.
func oneOfAKind(columns []Column) {
	seen := map[Kind]bool{}
	for i := range columns {
		kind := columns[i].Kind
		if kind.read() && seen[kind] {
			columns[i].Kind = Other
		}
		seen[kind] = true
	}
}
