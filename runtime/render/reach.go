package render

import (
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
)

// What a tool would refuse is not offered as a continuation (R-HAND-7): a server may send names and ids
// that no call can hold.

// canFetch tells whether fetch takes the record's id.
func (id identity) canFetch() bool {
	if id.formed {
		return id.connectionPasses()
	}
	_, err := recordid.Parse(id.handle)
	return (err == nil || recordid.IsURI(id.handle)) && id.connectionPasses()
}

// canRead tells whether read_record_field takes the record and a path of it.
func (id identity) canRead(path string) bool {
	if recordid.CheckName("field path", path) != nil {
		return false
	}
	if id.handle != "" {
		return id.canFetch()
	}
	return recordid.CheckName("stream", id.stream) == nil && recordid.CheckRecordID("record id", id.recordID) == nil && id.connectionPasses()
}

// connectionPasses tells whether the connection goes along in a call: within the id, beside it, or not at all.
func (id identity) connectionPasses() bool {
	return id.embedded || id.connectionID == "" || recordid.CheckName("connection id", id.connectionID) == nil
}

// passable are the names that fields, expand and expand_limit take, no more than are worth naming.
func passable(names []string) []string {
	var passed []string
	for _, name := range firstNames(names) {
		if name != "" && !strings.ContainsAny(name, ",[]") && !strings.ContainsFunc(name, unicode.IsControl) {
			passed = append(passed, name)
		}
	}
	return passed
}
