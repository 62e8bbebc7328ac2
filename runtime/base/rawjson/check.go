package rawjson

import (
	"bytes"
	"context"
	"errors"
	"math/bits"
	"slices"
	"strings"
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

// checker reads a document once. It checks the grammar of RFC 8259 and the limits. Package jsontext needs a second pass
// for the limits, and together that takes three times as long (a tenth of a hosted call of 25 records).
type checker struct {
	document    []byte
	at          int
	tokens      int
	depth       int      // how many objects and arrays may still be opened
	checksNames bool     // for unpaired surrogates
	isForeign   bool     // names must be unique, and an object has up to MaxMembers members
	isSpaced    bool     // whitespace is between tokens
	isEscaped   bool     // the last string has an escape
	names       [][]byte // of the foreign objects that are not closed yet
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
	c.document = document
	if err := c.value(ctx); err != nil {
		return err
	}
	if c.at < len(document) {
		return ErrInvalid
	}
	return nil
}

// next returns the first byte of the next token, or 0 at the end.
func (c *checker) next() byte {
	if c.at < len(c.document) && c.document[c.at] > ' ' { // nearly always
		return c.document[c.at]
	}
	if at := skipSpace(c.document, c.at); at > c.at {
		c.at, c.isSpaced = at, true
	}
	if c.at == len(c.document) {
		return 0
	}
	return c.document[c.at]
}

func (c *checker) value(ctx context.Context) error {
	if c.tokens++; c.tokens%tokensPerCheck == 0 && ctx.Err() != nil {
		return ctx.Err()
	}
	isValid := false
	switch c.next() {
	case '{':
		return c.members(ctx, '}')
	case '[':
		return c.members(ctx, ']')
	case '"':
		isValid = c.text()
	case 't':
		isValid = c.literal("true")
	case 'f':
		isValid = c.literal("false")
	case 'n':
		isValid = c.literal("null")
	default:
		isValid = c.number()
	}
	if !isValid {
		return ErrInvalid
	}
	return nil
}

// members reads an object or an array from its opening bracket.
func (c *checker) members(ctx context.Context, closing byte) error {
	if c.depth--; c.depth < 0 {
		return ErrTooDeep
	}
	c.at++
	names := nameSet{first: len(c.names)}
	if c.next() == closing {
		c.at++
		c.depth++
		return nil
	}
	for {
		if closing == '}' {
			if err := c.name(&names); err != nil {
				return err
			}
		}
		if err := c.value(ctx); err != nil {
			return err
		}
		next := c.next()
		c.at++
		switch next {
		case ',':
		case closing:
			c.depth++
			c.names = c.names[:names.first]
			return nil
		default:
			return ErrInvalid
		}
	}
}

// name reads the name of a member and its colon.
func (c *checker) name(names *nameSet) error {
	if c.next() != '"' {
		return ErrInvalid
	}
	start := c.at
	if !c.text() {
		return ErrInvalid
	}
	name := c.document[start+1 : c.at-1]
	if c.checksNames && c.isEscaped {
		var err error
		if name, err = jsontext.AppendUnquote(nil, c.document[start:c.at]); err != nil {
			return ErrInvalidName
		}
	}
	if c.next() != ':' {
		return ErrInvalid
	}
	c.at++
	if c.isForeign {
		return c.add(name, names)
	}
	return nil
}

// nameSet is the names of one object.
type nameSet struct {
	first int             // of its names in those of the checker
	hints uint64          // a bit for each name; two names may share one
	all   map[string]bool // of an object with many names
}

const manyNames = 64

// add adds a name to those of its object.
func (c *checker) add(name []byte, names *nameSet) error {
	own := c.names[names.first:]
	hint := len(name)
	if hint > 0 {
		hint += 5*int(name[0]) + 3*int(name[len(name)-1])
	}
	isHinted := names.hints&(1<<(hint%64)) != 0
	names.hints |= 1 << (hint % 64)
	if len(own) == manyNames {
		names.all = make(map[string]bool, 2*manyNames)
		for _, each := range own {
			names.all[string(each)] = true
		}
	}
	switch {
	case len(own) == MaxMembers:
		return ErrTooManyMembers
	case names.all != nil:
		if names.all[string(name)] {
			return ErrRepeatedName
		}
		names.all[string(name)] = true
	case isHinted && slices.ContainsFunc(own, func(each []byte) bool { return bytes.Equal(each, name) }):
		return ErrRepeatedName
	}
	c.names = append(c.names, name)
	return nil
}

// text reads a string.
func (c *checker) text() bool {
	document := c.document
	c.isEscaped = false
	for at := c.at + 1; at < len(document); {
		if len(document)-at >= wordBytes {
			found := delimiting(wordAt(document, at)) & highest
			if found == 0 {
				at += wordBytes
				continue
			}
			at += bits.TrailingZeros64(found) / 8
		}
		switch b := document[at]; {
		case b == '"':
			c.at = at + 1
			return true
		case b == '\\':
			length := escapeLength(document[at:])
			if length == 0 {
				return false
			}
			c.isEscaped = true
			at += length
		case b < ' ':
			return false
		default:
			at++
		}
	}
	return false
}

// escapeLength returns the length of the escape at the beginning of a text, or 0 if that is not valid.
func escapeLength(text []byte) int {
	switch {
	case len(text) < 2:
	case text[1] == 'u':
		const escaped = len(`\u0000`)
		if len(text) >= escaped && len(bytes.Trim(text[2:escaped], "0123456789abcdefABCDEF")) == 0 {
			return escaped
		}
	case strings.IndexByte(`"\/bfnrt`, text[1]) >= 0:
		return 2
	}
	return 0
}

func (c *checker) literal(word string) bool {
	if !bytes.HasPrefix(c.document[c.at:], []byte(word)) {
		return false
	}
	c.at += len(word)
	return true
}

// number reads a number: a sign, an integer without leading zeros, a fraction, and an exponent.
func (c *checker) number() bool {
	c.accept("-")
	if !c.accept("0") && c.digits() == 0 {
		return false
	}
	if c.accept(".") && c.digits() == 0 {
		return false
	}
	if c.accept("eE") {
		c.accept("+-")
		return c.digits() > 0
	}
	return true
}

// accept reads one byte if it is among those given.
func (c *checker) accept(some string) bool {
	isAccepted := c.at < len(c.document) && strings.IndexByte(some, c.document[c.at]) >= 0
	if isAccepted {
		c.at++
	}
	return isAccepted
}

func (c *checker) digits() int {
	start := c.at
	for c.at < len(c.document) && '0' <= c.document[c.at] && c.document[c.at] <= '9' {
		c.at++
	}
	return c.at - start
}
