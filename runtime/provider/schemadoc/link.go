package schemadoc

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// Link is a field of a stream whose values are the ids of records of another stream, or of the same stream.
type Link struct {
	Name   string // of the relation; if none is declared, the stream with the field
	Child  string // the stream with the field
	Field  string
	Parent string // the stream of the records with the ids
}

// Links returns the links of a stream, in either role: those that the schema declares with a foreign key (R-FIND-3),
// then the fields of other streams that are named after the stream, such as message_id after messages. It leaves out
// links by a field that is not granted. The links do not share memory with the document.
func (d *Document) Links(stream string) (links []Link) {
	granted := map[[2]string]bool{}
	for _, row := range d.Rows() {
		for _, field := range row.Fields() {
			key := [2]string{row.Name, field.Name}
			granted[key] = granted[key] || !field.Has("g=false")
		}
	}
	add := func(name, child, field, parent string) {
		isKnown := slices.ContainsFunc(links, func(l Link) bool { return l.Child == child && l.Field == field })
		if granted[[2]string{child, field}] && !isKnown && (child == stream || parent == stream) {
			clone := strings.Clone
			links = append(links, Link{clone(name), clone(child), clone(field), clone(parent)})
		}
	}
	for _, parent := range d.Rows() {
		for _, each := range parent.Relations() {
			child := cmp.Or(each.Members.FirstText("target_stream", wire.Stream), each.Name)
			if each.Usable() {
				add(each.Name, child, each.Members.FirstText("foreign_key", "child_parent_key_field"), parent.Name)
			}
		}
	}
	for _, parent := range d.Rows() {
		for _, child := range d.Rows() {
			if child.Name != parent.Name {
				add(child.Name, child.Name, Singular(parent.Name)+"_id", parent.Name)
			}
		}
	}
	return links
}

// Singular returns the English singular of the name of a stream or a relation.
func Singular(name string) string {
	if stem, isFound := strings.CutSuffix(name, "ies"); isFound {
		return stem + "y"
	}
	return strings.TrimSuffix(name, "s")
}
