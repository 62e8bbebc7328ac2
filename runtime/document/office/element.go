package office

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"

	"golang.org/x/net/html/charset"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// element is the start of an element. Elements and attributes go by their local names: producers choose the prefixes.
type element xml.StartElement

// attribute returns the value of the first attribute with a local name, or nothing.
func (e element) attribute(name string) string {
	for _, attribute := range e.Attr {
		if attribute.Name.Local == name {
			return attribute.Value
		}
	}
	return ""
}

// relationship returns the value of the attribute r:id, which can be next to an id of the element itself.
func (e element) relationship() string {
	for _, attribute := range e.Attr {
		if attribute.Name.Local == "id" && attribute.Name.Space != "" {
			return attribute.Value
		}
	}
	return ""
}

// number returns the value of an attribute, or fallback if it is not a number.
func (e element) number(name string, fallback int) int { return number(e.attribute(name), fallback) }

func number(text string, fallback int) int {
	if value, err := strconv.Atoi(text); err == nil {
		return value
	}
	return fallback
}

// tokens are the tokens of a part. It refuses entities, and elements that are nested too deep.
type tokens struct {
	*xml.Decoder
	part   *part
	nested []string
}

func (f *file) tokens(name string) (*tokens, error) {
	content, err := f.open(name)
	if err != nil {
		return nil, err
	}
	decoder := xml.NewDecoder(content)
	decoder.CharsetReader = charset.NewReaderLabel
	return &tokens{Decoder: decoder, part: content}, nil
}

// Token returns the next token. Its error is a *document.Error or io.EOF.
func (t *tokens) Token() (xml.Token, error) {
	t.part.token = 0
	token, err := t.RawToken()
	switch last := len(t.nested) - 1; token := token.(type) {
	case xml.StartElement:
		if t.nested = append(t.nested, token.Name.Local); len(t.nested) > t.part.file.limits.Nesting {
			return nil, tooLarge(fmt.Sprintf("it has elements nested more than %d deep", t.part.file.limits.Nesting))
		}
	case xml.EndElement:
		if last < 0 || t.nested[last] != token.Name.Local {
			return nil, damaged("the elements of a part do not match")
		}
		t.nested = t.nested[:last]
	case xml.Directive:
		if bytes.Contains(token, []byte("ENTITY")) {
			return nil, damaged("it declares XML entities")
		}
	}
	if err == nil || errors.Is(err, io.EOF) && len(t.nested) == 0 {
		return token, err
	}
	return nil, failureOf(err)
}

// failureOf returns an error of a part's reader as it is, and any other as damage.
func failureOf(err error) error {
	var known *document.Error
	if errors.As(err, &known) {
		return known
	}
	return damaged("a part is not valid XML")
}

// visitor is called for the content of a part, in order.
type visitor struct {
	start func(element) bool // false skips the element with everything inside; end is not called for it then
	end   func(name string)
	text  func([]byte) // the bytes are valid during the call
}

// walk reads an XML part.
func (f *file) walk(name string, v visitor) error {
	tokens, err := f.tokens(name)
	if err != nil {
		return err
	}
	defer tokens.part.Close()
	skipped := 0 // the depth of the element that is skipped
	for f.failure == nil {
		token, err := tokens.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if skipped == 0 && !v.start(element(token)) {
				skipped = len(tokens.nested)
			}
		case xml.EndElement:
			if skipped == 0 && v.end != nil {
				v.end(token.Name.Local)
			} else if skipped > len(tokens.nested) {
				skipped = 0
			}
		case xml.CharData:
			if skipped == 0 && v.text != nil {
				v.text(token)
			}
		}
	}
	return f.failure
}

// decode reads a small XML part into a struct. A part that is missing is empty.
func (f *file) decode(name string, into any) error {
	if !f.has(name) {
		return nil
	}
	tokens, err := f.tokens(name)
	if err != nil {
		return err
	}
	defer tokens.part.Close()
	if err := xml.NewTokenDecoder(tokens).Decode(into); err != nil {
		return failureOf(err)
	}
	return nil
}
