package office

import (
	"path"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// relation is a relationship of a part of an Office Open XML file to another part.
type relation struct{ id, kind, target string }

type relations []relation

// relations reads those of a part, or those of the package for an empty name. Links out of the file are not among them.
func (f *file) relations(name string) (related relations) {
	folder, base := path.Split(name)
	for e := range f.optional(path.Join(folder, "_rels", base+".rels")) {
		if e.name != "Relationship" || e.attribute("TargetMode") == "External" {
			continue
		}
		target := e.attribute("Target")
		if !path.IsAbs(target) {
			target = path.Join(folder, target)
		}
		related = append(related, relation{e.attribute("Id"), path.Base(e.attribute("Type")), target})
	}
	return related
}

// of returns the parts of some kinds, kind by kind.
func (r relations) of(kinds ...string) (parts []string) {
	for _, kind := range kinds {
		for _, each := range r {
			if each.kind == kind {
				parts = append(parts, each.target)
			}
		}
	}
	return parts
}

// part returns the part that the attribute r:id of an element refers to, or nothing.
func (r relations) part(n node) string {
	for _, attribute := range n.attributes { // the element can have another id
		for _, each := range r {
			if attribute.Name.Local == "id" && attribute.Name.Space != "" && each.id == attribute.Value {
				return each.target
			}
		}
	}
	return ""
}

// main returns the part that a package is about, and its relations.
func (f *file) main() (string, relations) {
	for _, part := range f.relations("").of("officeDocument") {
		return part, f.relations(part)
	}
	f.fail(document.Damaged, "it does not say which part is the document")
	return "", nil
}
