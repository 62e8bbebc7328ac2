package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Why readers of a valid document may not agree on it.
var (
	// ErrRepeatedName: an object names a member twice, of which some readers take the first and some the last (RFC 8259,
	// section 4).
	ErrRepeatedName = errors.New("a member is named twice in one object")
	// ErrTooDeep: the document is nested too deep for some readers.
	ErrTooDeep = errors.New("nested too deep")
)

// Unambiguous is Compact for a document that comes from others, on which all readers have to agree: no object names a
// member twice, however it spells the name, and no more than depth objects and arrays stand in each other. Its error is
// ErrInvalid, ErrRepeatedName or ErrTooDeep, whichever fault comes first.
func Unambiguous(document []byte, depth int) (json.RawMessage, error) {
	return compact(document, &checker{depthMost: depth, tellsNames: true})
}

// Read is Unambiguous for a document that is read several times.
func Read(document []byte, depth int) (Document, error) {
	c := checker{depthMost: depth, tellsNames: true, names: make([][]byte, 0, fewNames)}
	if len(document) <= notedBytes {
		c.notes = make([]note, firstNote, notesFew+len(document)/noteUsual)
		c.notesMost = notesFew + len(document)/noteFor
	}
	compacted, err := compact(document, &c)
	if err != nil {
		return Document{}, err
	}
	if c.spaces > 0 { // the values have moved: noting them anew costs less than each look at a document without notes
		c = checker{depthMost: depth, tellsNames: true, notes: c.notes[:min(firstNote, len(c.notes))], notesMost: c.notesMost, names: c.names[:0]}
		if compacted, err = compact(compacted, &c); err != nil {
			return Document{}, err
		}
	}
	return Document{text: compacted, notes: c.notes}, nil
}

// objectNames are the names of an object that is being checked: the last ones of checker.names.
type objectNames struct {
	from  int
	known map[string]bool // its names when they are many; nil for few
}

// fewNames is up to how many names are compared one by one.
const fewNames = 32

// isNew reports whether an object has no member of that name yet, and keeps the name.
func (c *checker) isNew(names *objectNames, name []byte) bool {
	own := c.names[names.from:]
	if names.known == nil && len(own) >= fewNames {
		names.known = make(map[string]bool, 2*fewNames)
		for _, each := range own {
			names.known[string(each)] = true
		}
	}
	if names.known != nil {
		isNew := !names.known[string(name)]
		names.known[string(name)] = true
		return isNew
	}
	for _, each := range own {
		if bytes.Equal(each, name) {
			return false
		}
	}
	c.names = append(c.names, name)
	return true
}
