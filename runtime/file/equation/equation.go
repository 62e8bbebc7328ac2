// Package equation writes equations of MathML and Office Math on one line, such as (a+b)/2 or x^2.
package equation

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Node is an element of MathML 3 or of Office Math (ECMA-376, part 1, section 22.1), or a text.
type Node struct {
	Name       string            // local; empty for a text
	Attributes map[string]string // by local name
	Text       string            // of a text
	Children   []*Node
}

// String returns the equation on one line.
func (n *Node) String() string { return strings.Join(strings.Fields(n.line()), " ") }

// Group returns a text in parentheses unless it is a single character, word or number, or is in parentheses already.
func Group(text string) string {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) <= 1 || word.MatchString(text) || isGrouped(text) {
		return text
	}
	return "(" + text + ")"
}

// word is a word or a number with its sign. A number before letters is a product.
var word = regexp.MustCompile(`^[+\-\x{2212}]?(\pL[\pL\pM\pN]*|\pN[\pN.,]*)$`)

// isGrouped reports whether one pair of parentheses encloses the text.
func isGrouped(text string) bool {
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(text)-1 {
			return false
		}
	}
	return strings.HasPrefix(text, "(")
}

// unread are the elements without text of the equation: properties, and the same equation in another notation.
var unread = map[string]bool{"annotation": true, "annotation-xml": true, "rPr": true, "mphantom": true}

func (n *Node) line() string {
	if n == nil || unread[n.Name] || strings.HasSuffix(n.Name, "Pr") {
		return ""
	}
	if write := written[n.Name]; write != nil && n.isComplete() {
		return write(n)
	}
	if n.Name == "" && len(n.Children) == 0 {
		return n.Text
	}
	return n.joined("")
}

// plain are the elements whose letters and digits are not divided from the next ones.
var plain = map[string]bool{"": true, "r": true, "t": true, "mi": true, "mn": true, "mo": true, "ms": true}

// joined returns the lines of the children between which a text is. It keeps digits of different elements apart: 2 1/2
// is not 21/2.
func (n *Node) joined(between string) string {
	var lines strings.Builder
	wasPlain := true
	for _, child := range n.Children {
		if child.Name == "" && len(n.Children) > 1 && strings.TrimSpace(child.Text) == "" {
			continue
		}
		line := child.line()
		switch {
		case lines.Len() == 0:
		case between != "":
			lines.WriteString(between)
		case !(wasPlain && plain[child.Name]) && runsInto(lines.String(), line), !wasPlain &&
			runsInto(lines.String(), strings.TrimLeft(line, "(")):
			lines.WriteString(" ")
		}
		lines.WriteString(line)
		wasPlain = plain[child.Name]
	}
	return lines.String()
}

// runsInto reports whether a text ends and the next one begins with a letter or a digit, or the first one ends with a
// parenthesis.
func runsInto(text, next string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	first, _ := utf8.DecodeRuneInString(next)
	return (isWordRune(last) || last == ')') && isWordRune(first)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// child returns a child by its name, or nil.
func (n *Node) child(name string) *Node {
	for _, child := range n.Children {
		if child.Name == name {
			return child
		}
	}
	return nil
}

// arguments are the numbers of elements that some elements of MathML have.
var arguments = map[string]int{
	"mfrac": 2, "msup": 2, "mover": 2, "msub": 2, "munder": 2, "msubsup": 3, "munderover": 3, "mroot": 2,
}

// isComplete reports whether the element has its arguments and nothing more.
func (n *Node) isComplete() bool {
	elements := 0
	for _, child := range n.Children {
		if child.Name != "" {
			elements++
		} else if strings.TrimSpace(child.Text) != "" && arguments[n.Name] > 0 {
			return false
		}
	}
	return arguments[n.Name] == 0 || arguments[n.Name] == elements
}

// at returns an element by its number from 0, or nil.
func (n *Node) at(number int) *Node {
	for _, child := range n.Children {
		if child.Name == "" {
			continue
		}
		if number == 0 {
			return child
		}
		number--
	}
	return nil
}

// property returns a property of an element of Office Math, or a fallback.
func (n *Node) property(name, fallback string) string {
	if properties := n.child(n.Name + "Pr"); properties != nil {
		if property := properties.child(name); property != nil {
			return property.Attributes["val"]
		}
	}
	return fallback
}

// The writers of the elements that are not only their content. An argument is a name in Office Math, and a position in
// MathML.
var written map[string]func(*Node) string

func init() {
	written = map[string]func(*Node) string{
		"f":     func(n *Node) string { return Group(n.child("num").line()) + "/" + Group(n.child("den").line()) },
		"mfrac": func(n *Node) string { return Group(n.at(0).line()) + "/" + Group(n.at(1).line()) },

		"sSup":       func(n *Node) string { return scripts(n.child("e"), n.child("sub"), n.child("sup")) },
		"sSub":       func(n *Node) string { return scripts(n.child("e"), n.child("sub"), n.child("sup")) },
		"sSubSup":    func(n *Node) string { return scripts(n.child("e"), n.child("sub"), n.child("sup")) },
		"sPre":       func(n *Node) string { return scripts(nil, n.child("sub"), n.child("sup")) + n.child("e").line() },
		"limLow":     func(n *Node) string { return scripts(n.child("e"), n.child("lim"), nil) },
		"limUpp":     func(n *Node) string { return scripts(n.child("e"), nil, n.child("lim")) },
		"msup":       func(n *Node) string { return scripts(n.at(0), nil, n.at(1)) },
		"mover":      func(n *Node) string { return scripts(n.at(0), nil, n.at(1)) },
		"msub":       func(n *Node) string { return scripts(n.at(0), n.at(1), nil) },
		"munder":     func(n *Node) string { return scripts(n.at(0), n.at(1), nil) },
		"msubsup":    func(n *Node) string { return scripts(n.at(0), n.at(1), n.at(2)) },
		"munderover": func(n *Node) string { return scripts(n.at(0), n.at(1), n.at(2)) },
		"nary": func(n *Node) string {
			return n.property("chr", "∫") + scripts(nil, n.child("sub"), n.child("sup")) + " " + n.child("e").line()
		},
		"func": func(n *Node) string { return n.child("fName").line() + " " + n.child("e").line() },

		"rad":   func(n *Node) string { return root(n.child("e").line(), n.child("deg").line()) },
		"msqrt": func(n *Node) string { return root(n.joined(""), "") },
		"mroot": func(n *Node) string { return root(n.at(0).line(), n.at(1).line()) },

		"acc":      func(n *Node) string { return n.child("e").line() + n.property("chr", "\u0302") },
		"groupChr": func(n *Node) string { return n.child("e").line() },
		"d":        delimited,
		"mfenced":  fenced,

		"m": rows, "mtable": rows, "eqArr": rows,
		"mr": columns, "mtr": columns, "mlabeledtr": columns,
		"mspace":    func(*Node) string { return " " },
		"mtext":     func(n *Node) string { return " " + n.joined("") + " " },
		"semantics": func(n *Node) string { return n.at(0).line() },
	}
}

// scripts returns a base with its subscript and superscript. Without a base, they follow what precedes the element.
func scripts(base, sub, sup *Node) string {
	line := ""
	if base != nil {
		line = Group(base.line())
	}
	if text := sub.line(); strings.TrimSpace(text) != "" {
		line += "_" + Group(text)
	}
	if text := sup.line(); strings.TrimSpace(text) != "" {
		line += "^" + Group(text)
	}
	return line
}

func root(inner, degree string) string {
	if degree = strings.TrimSpace(degree); degree != "" && degree != "2" {
		return "root_" + Group(degree) + "(" + strings.TrimSpace(inner) + ")"
	}
	return "√" + Group(inner)
}

func delimited(n *Node) string {
	var inner []string
	for _, child := range n.Children {
		if child.Name == "e" {
			inner = append(inner, child.line())
		}
	}
	return n.property("begChr", "(") + strings.Join(inner, n.property("sepChr", "|")) + n.property("endChr", ")")
}

func fenced(n *Node) string {
	attribute := func(name, fallback string) string {
		if value, isSet := n.Attributes[name]; isSet {
			return value
		}
		return fallback
	}
	return attribute("open", "(") + n.joined(attribute("separators", ",")) + attribute("close", ")")
}

func rows(n *Node) string {
	var lines []string
	for _, child := range n.Children {
		if line := child.line(); strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return "[" + strings.Join(lines, "; ") + "]"
}

func columns(n *Node) string { return n.joined(", ") }
