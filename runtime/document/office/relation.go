package office

import "path"

// relation is a relationship of a part of an Office Open XML file. The last word of the type is its kind.
type relation struct {
	ID     string `xml:"Id,attr"`
	Type   string `xml:",attr"`
	Target string `xml:",attr"`
	Mode   string `xml:"TargetMode,attr"`
}

type relations []relation

// relations reads those of a part, or those of the package for an empty name.
func (f *file) relations(name string) (relations, error) {
	var list struct {
		Relations relations `xml:"Relationship"`
	}
	folder, base := path.Split(name)
	err := f.decode(path.Join(folder, "_rels", base+".rels"), &list)
	for i, r := range list.Relations {
		if !path.IsAbs(r.Target) {
			list.Relations[i].Target = path.Join(folder, r.Target)
		}
	}
	return list.Relations, err
}

// of returns the parts of a kind. Links out of the file are not among them.
func (r relations) of(kind string) (parts []string) {
	for _, each := range r {
		if path.Base(each.Type) == kind && each.Mode != "External" {
			parts = append(parts, each.Target)
		}
	}
	return parts
}

// part returns the part that an id refers to, or nothing.
func (r relations) part(id string) string {
	for _, each := range r {
		if each.ID == id && each.Mode != "External" {
			return each.Target
		}
	}
	return ""
}

// main returns the part that a package is about, and its relations.
func (f *file) main() (string, relations, error) {
	related, err := f.relations("")
	if err != nil {
		return "", nil, err
	}
	parts := related.of("officeDocument")
	if len(parts) == 0 {
		return "", nil, damaged("it does not say which part is the document")
	}
	related, err = f.relations(parts[0])
	return parts[0], related, err
}

// step is parts that one function reads.
type step struct {
	parts []string
	read  func(string) error
}

// inOrder reads parts until one fails.
func inOrder(steps ...step) error {
	for _, step := range steps {
		for _, part := range step.parts {
			if err := step.read(part); err != nil {
				return err
			}
		}
	}
	return nil
}
