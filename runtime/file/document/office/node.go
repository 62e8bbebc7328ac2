package office

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html/charset"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/equation"
)

// node is an element or, without a name, a text. Elements and attributes go by their local names: producers choose the
// prefixes.
type node struct {
	name, prefix string
	attributes   []xml.Attr
	text         []byte // valid until the next node
	stream       *stream
}

// attribute returns the value of the first attribute with a local name, or nothing.
func (n node) attribute(name string) string {
	for _, attribute := range n.attributes {
		if attribute.Name.Local == name {
			return attribute.Value
		}
	}
	return ""
}

// number returns the value of an attribute, or fallback if it is not a number.
func (n node) number(name string, fallback int) int { return number(n.attribute(name), fallback) }

func number(text string, fallback int) int {
	if value, err := strconv.Atoi(text); err == nil {
		return value
	}
	return fallback
}

type stream struct {
	part    *part
	decoder *xml.Decoder
	open    []string // elements
}

// elements returns the elements of a part. If the caller reads the content of an element, the iteration continues after
// it. Otherwise the elements inside follow.
func (f *file) elements(name string) iter.Seq[node] {
	return func(yield func(node) bool) {
		part := f.open(name)
		if part == nil {
			return
		}
		defer part.Close()
		s := &stream{part: part, decoder: xml.NewDecoder(part)}
		s.decoder.CharsetReader = charset.NewReaderLabel
		for token := s.next(); token != nil; token = s.next() {
			if start, is := token.(xml.StartElement); is && !yield(s.node(start)) {
				return
			}
		}
	}
}

// optional returns the elements of a part that can be missing.
func (f *file) optional(name string) iter.Seq[node] {
	if f.entries[partKey(name)] == nil {
		return func(func(node) bool) {}
	}
	return f.elements(name)
}

// content returns the elements and the texts in an element. Elements inside an element that the caller does not read
// are skipped.
func (n node) content() iter.Seq[node] {
	return func(yield func(node) bool) {
		s, depth := n.stream, len(n.stream.open)
		for {
			switch token := s.next().(type) {
			case nil, xml.EndElement:
				return
			case xml.StartElement:
				if !yield(s.node(token)) {
					return
				}
				for len(s.open) > depth && s.next() != nil {
				}
			case xml.CharData:
				if !yield(node{text: token}) {
					return
				}
			}
		}
	}
}

// appendText appends the text in an element, without readings of East Asian text and the white space between runs.
func (n node) appendText(text []byte) []byte {
	mark, start, last := "", len(text), "" // last is the mark of the run before
	for child := range n.content() {
		switch {
		case child.name == "rPr":
			mark, _ = child.runProperties()
		case child.name == "" && n.name != "si" && n.name != "is" && n.name != "r":
			text = append(text, child.text...)
		case child.name != "" && child.name != "rPh":
			before := len(text)
			text = child.appendText(text)
			if last != "" {
				text = slices.Insert(text, before, []byte(equation.Separator(last, string(text[before:])))...)
			}
			last = ""
			if added := string(text[before:]); child.name == "r" &&
				(strings.HasPrefix(added, equation.Superscript) || strings.HasPrefix(added, equation.Subscript)) {
				last = added[:1]
			}
		}
	}
	if mark != "" {
		text = append(text[:start], equation.Script(mark, string(text[start:]))...)
	}
	return text
}

func (n node) allText() string { return string(n.appendText(nil)) }

func (s *stream) node(start xml.StartElement) node {
	return node{name: start.Name.Local, prefix: start.Name.Space, attributes: start.Attr, stream: s}
}

// next returns the next token, or nil at the end and after a failure. It refuses entities, and elements that are nested
// too deep.
func (s *stream) next() xml.Token {
	f := s.part.file
	if f.failure != nil || s.part.isInvalid {
		return nil
	}
	s.part.token = 0
	token, err := s.decoder.RawToken()
	switch last := len(s.open) - 1; token := token.(type) {
	case xml.StartElement:
		if s.open = append(s.open, token.Name.Local); len(s.open) > f.limits.Nesting {
			f.fail(document.TooLarge, fmt.Sprintf("it has elements nested more than %d deep", f.limits.Nesting))
		}
	case xml.EndElement:
		if last < 0 || s.open[last] != token.Name.Local {
			s.part.end("has elements that do not match")
			return nil
		}
		s.open = s.open[:last]
	case xml.Directive:
		if bytes.Contains(token, []byte("ENTITY")) {
			s.part.end("declares XML entities")
		}
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(s.open) > 0) {
		s.part.end("is not valid XML")
	}
	if err != nil || f.failure != nil || s.part.isInvalid {
		return nil
	}
	return token
}
