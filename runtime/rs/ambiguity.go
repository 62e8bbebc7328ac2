package rs

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// deepest is how many arrays and objects may stand in each other. The package json of this adapter takes ten thousand;
// clients fail from about a thousand on, and no record comes near.
const deepest = 512

// ambiguity says why two readers of a valid JSON document may not agree on it, or nothing: it names a member twice in
// one object, of which some take the first and some the last (RFC 8259, section 4), or it is too deep for some.
// Text and structured output would then tell different things of one answer.
func ambiguity(document []byte) string {
	var open nesting
	for i := 0; i < len(document); i++ {
		switch document[i] {
		case '{', '[':
			if len(open.levels) == deepest {
				return fmt.Sprintf("is nested deeper than %d levels", deepest)
			}
			open.enter(document[i] == '{')
		case '}', ']':
			open.leave()
		case ',':
			open.next()
		case '"':
			end := stringEnd(document, i)
			if open.takesName() && !open.name(document[i:end]) {
				return "names a member twice in one object"
			}
			i = end - 1
		}
	}
	return ""
}

// stringEnd is the place after the string that begins at start.
func stringEnd(document []byte, start int) int {
	for i := start + 1; ; {
		i += bytes.IndexByte(document[i:], '"') + 1
		escapes := 0
		for document[i-2-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}

// level is an object or an array that is open.
type level struct {
	object bool
	named  bool            // the member that is read has its name
	from   int             // where its names begin in nesting.names
	known  map[string]bool // its names when they are many; nil for few
}

// nesting are the levels that are open, and the names of all of them.
type nesting struct {
	levels []level
	names  [][]byte
}

func (n *nesting) enter(object bool) {
	n.levels = append(n.levels, level{object: object, from: len(n.names)})
}

func (n *nesting) leave() {
	last := len(n.levels) - 1
	n.names, n.levels = n.names[:n.levels[last].from], n.levels[:last]
}

func (n *nesting) next() { n.levels[len(n.levels)-1].named = false }

func (n *nesting) takesName() bool {
	if len(n.levels) == 0 {
		return false
	}
	top := n.levels[len(n.levels)-1]
	return top.object && !top.named
}

// few is up to how many names are compared one by one.
const few = 32

// name adds a name as it is spelled, with its quotes, and tells whether it is new.
func (n *nesting) name(spelled []byte) bool {
	top := &n.levels[len(n.levels)-1]
	top.named = true
	name := spelled[1 : len(spelled)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		var decoded string
		_ = json.Unmarshal(spelled, &decoded) // the document is valid
		name = []byte(decoded)
	}
	own := n.names[top.from:]
	if top.known == nil && len(own) == few {
		top.known = make(map[string]bool, 2*few)
		for _, each := range own {
			top.known[string(each)] = true
		}
	}
	if top.known != nil {
		isNew := !top.known[string(name)]
		top.known[string(name)] = true
		return isNew
	}
	for _, each := range own {
		if bytes.Equal(each, name) {
			return false
		}
	}
	n.names = append(n.names, name)
	return true
}
