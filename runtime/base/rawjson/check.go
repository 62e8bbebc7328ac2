package rawjson

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Faults of a document.
var (
	// ErrInvalid: the bytes are not JSON in UTF-8.
	ErrInvalid = errors.New("not JSON in UTF-8")
	// ErrTooDeep: more objects and arrays are inside each other than allowed.
	ErrTooDeep = errors.New("nested too deep")
	// ErrRepeatedName: some readers take the first of two members with the same name, and some the last (RFC 8259, section
	// 4).
	ErrRepeatedName = errors.New("a member is named twice in one object")
	// ErrInvalidName: a member name has an unpaired surrogate, which readers replace in different ways.
	ErrInvalidName = errors.New("a member name has an unpaired surrogate")
	// ErrTooManyMembers: an object has more than MaxMembers members.
	ErrTooManyMembers = errors.New("too many members in one object")
)

const (
	// MaxMembers bounds the members of one object in an unambiguous document (R-ERR-9).
	MaxMembers = 10_000

	maxDepth       = 10_000 // of any document, as in package json
	tokensPerCheck = 1 << 12
)

// Check returns ErrInvalid or ErrTooDeep unless a document is one JSON value with no more than depth objects and arrays
// inside each other. It does not check whether strings are UTF-8.
func Check(document []byte, depth int) error {
	c := checker{depth: depth}
	return c.check(context.Background(), bytes.Trim(document, whitespace))
}

// Compact returns a document without the whitespace between its tokens. A document without any is not copied. Strings
// and numbers keep their spelling. Its error is ErrInvalid, ErrTooDeep or ErrInvalidName.
func Compact(document []byte) (Value, error) {
	c := checker{depth: maxDepth, checksNames: true}
	return c.compact(context.Background(), document)
}

// Unambiguous is Compact for a document from another party that all readers must understand alike: names are Unicode
// and unique in their object, an object has up to MaxMembers members, and up to depth objects and arrays are inside
// each other. It returns the first fault, or the error of the context.
func Unambiguous(ctx context.Context, document []byte, depth int) (Value, error) {
	c := checker{depth: depth, checksNames: true, isForeign: true}
	return c.compact(ctx, document)
}

// checker checks the structure and the syntax of a document.
type checker struct {
	depth       int
	checksNames bool // for unpaired surrogates
	isForeign   bool // names must be unique, and an object has up to MaxMembers members
	isSpaced    bool // whitespace is between tokens
}

const whitespace = " \t\r\n"

func (c *checker) compact(ctx context.Context, document []byte) (Value, error) {
	document = bytes.Trim(document, whitespace) // most encoders end a document with a new line
	if !utf8.Valid(document) {
		return nil, ErrInvalid
	}
	if err := c.check(ctx, document); err != nil {
		return nil, err
	}
	if !c.isSpaced {
		return document[:len(document):len(document)], nil
	}
	compacted := jsontext.Value(slices.Clone(document))
	if err := compacted.Compact(); err != nil {
		return nil, ErrInvalid
	}
	return Value(compacted), nil
}

// check reads a trimmed document. Values may have unpaired surrogates, which some servers write when they shorten a
// text.
func (c *checker) check(ctx context.Context, document []byte) error {
	if err := c.scan(ctx, document); err != nil {
		return err
	}
	decoder := jsontext.NewDecoder(bytes.NewBuffer(document), jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(!c.isForeign))
	_, err := decoder.ReadValue()
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return ErrRepeatedName
	case err != nil || int(decoder.InputOffset()) != len(document):
		return ErrInvalid
	}
	return nil
}

// scan reads the structure of a document whose syntax is not checked yet.
func (c *checker) scan(ctx context.Context, document []byte) error {
	var members []int // of the objects and arrays that are not closed yet
	var text []byte   // the last string
	for at, tokens := 0, 1; at < len(document); at, tokens = at+1, tokens+1 {
		if tokens%tokensPerCheck == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		switch document[at] {
		case '"':
			end := skipString(document, at)
			text, at = document[at:end], end-1
		case ':':
			if err := c.checkName(text); err != nil {
				return err
			}
			if last := len(members) - 1; last >= 0 {
				if members[last]++; c.isForeign && members[last] > MaxMembers {
					return ErrTooManyMembers
				}
			}
		case '{', '[':
			switch members = append(members, 0); {
			case len(members) == 1 && at > 0: // after another text, such as a tag of HTML
				return ErrInvalid
			case len(members) > c.depth:
				return ErrTooDeep
			}
		case '}', ']':
			members = members[:max(0, len(members)-1)]
		case ' ', '\t', '\r', '\n':
			c.isSpaced = true
		}
	}
	return nil
}

func (c *checker) checkName(name []byte) error {
	if c.checksNames && bytes.IndexByte(name, '\\') >= 0 {
		if _, err := jsontext.AppendUnquote(nil, name); err != nil {
			if !jsontext.Value(name).IsValid(jsontext.AllowInvalidUTF8(true)) {
				return ErrInvalid
			}
			return ErrInvalidName
		}
	}
	return nil
}
