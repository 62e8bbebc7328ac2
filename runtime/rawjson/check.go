package rawjson

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Faults of a document.
var (
	// ErrInvalid: the bytes are not JSON in UTF-8.
	ErrInvalid = errors.New("not JSON in UTF-8")
	// ErrTooDeep: more objects and arrays are inside each other than allowed.
	ErrTooDeep = errors.New("nested too deep")
	// ErrRepeatedName: some readers take the first of two members with the same name, and some the last (RFC 8259, section 4).
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

// Check returns ErrInvalid or ErrTooDeep unless a document is one JSON value with no more than depth objects and arrays inside each other.
// It does not check whether strings are UTF-8.
func Check(document []byte, depth int) error {
	c := checker{depth: depth}
	return c.check(context.Background(), bytes.Trim(document, whitespace))
}

// Compact returns a document without the whitespace between its tokens. A document without any is not copied. Strings and numbers keep their
// spelling. Its error is ErrInvalid, ErrTooDeep or ErrInvalidName.
func Compact(document []byte) (Value, error) {
	c := checker{depth: maxDepth, checksNames: true}
	return c.compact(context.Background(), document)
}

// Unambiguous is Compact for a document from another party that all readers must understand alike: names are Unicode and
// unique in their object, an object has up to MaxMembers members, and up to depth objects and arrays are inside each other.
// It returns the first fault, or the error of the context.
func Unambiguous(ctx context.Context, document []byte, depth int) (Value, error) {
	c := checker{depth: depth, checksNames: true, isForeign: true}
	return c.compact(ctx, document)
}

// checker reads every token of a document once.
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
	var compacted bytes.Buffer
	if err := json.Compact(&compacted, document); err != nil {
		return nil, ErrInvalid
	}
	return compacted.Bytes(), nil
}

// check reads a trimmed document. Values may have unpaired surrogates, which some servers write when they shorten a text.
func (c *checker) check(ctx context.Context, document []byte) error {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(document), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(!c.isForeign))
	for tokens := 1; ; tokens++ {
		if tokens%tokensPerCheck == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		end := int(decoder.InputOffset())
		token, err := readToken(decoder)
		switch level := decoder.StackDepth(); {
		case errors.Is(err, jsontext.ErrDuplicateName):
			return ErrRepeatedName
		case level > c.depth:
			return ErrTooDeep
		case err != nil:
			return ErrInvalid
		}
		if err := c.checkName(decoder, token); err != nil {
			return err
		}
		start := int(decoder.InputOffset()) - len(token)
		if start > end+1 || start == end+1 && bytes.IndexByte([]byte(whitespace), document[end]) >= 0 {
			c.isSpaced = true
		}
		if decoder.StackDepth() == 0 {
			break
		}
	}
	if int(decoder.InputOffset()) != len(document) {
		return ErrInvalid
	}
	return nil
}

func readToken(decoder *jsontext.Decoder) (jsontext.Value, error) {
	switch kind := decoder.PeekKind(); kind {
	case '{', '}', '[', ']':
		_, err := decoder.ReadToken()
		return jsontext.Value{byte(kind)}, err
	default:
		return decoder.ReadValue()
	}
}

// checkName checks the token that was read last if it is the name of a member.
func (c *checker) checkName(decoder *jsontext.Decoder, token jsontext.Value) error {
	kind, count := decoder.StackIndex(decoder.StackDepth()) // names and values are counted
	if kind != '{' || count%2 == 0 {
		return nil
	}
	if c.isForeign && count > 2*MaxMembers {
		return ErrTooManyMembers
	}
	if c.checksNames && bytes.IndexByte(token, '\\') >= 0 {
		if _, err := jsontext.AppendUnquote(nil, token); err != nil {
			return ErrInvalidName
		}
	}
	return nil
}
