package mcphost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/tailscale/hujson"
)

// jsonFormat is JSON, and with comments also JSON with comments and trailing commas.
type jsonFormat struct {
	section  string
	own      []string
	comments bool // the host reads them
}

func (f jsonFormat) servers() string { return f.section }
func (f jsonFormat) owned() []string { return f.own }

func (f jsonFormat) change(content []byte, name string, wanted []setting) ([]byte, error) {
	if blank(content) {
		content = []byte("{}\n")
	}
	document, err := f.parse(content)
	if err != nil {
		return nil, err
	}
	layout := layoutOf(content, document)
	root := document.Value.(*hujson.Object) // parse lets nothing else pass
	servers, err := f.objectAt(root, f.section)
	if err != nil {
		return nil, err
	}
	if servers == nil {
		servers = &hujson.Object{}
		layout.insert(root, "", f.section, servers)
	}
	base := layout.indentOf(root, f.section, "")
	entry, err := f.objectAt(servers, name)
	if err != nil {
		return nil, err
	}
	if entry == nil {
		entry = &hujson.Object{}
		layout.put(servers, base, name, entry)
	}
	if err := f.write(entry, layout, layout.indentOf(servers, name, base), wanted); err != nil {
		return nil, err
	}
	return document.Pack(), nil
}

// write sets the wanted members and removes the other owned ones. A member that is right stays as it is
// spelled.
func (f jsonFormat) write(entry *hujson.Object, layout layout, base string, wanted []setting) error {
	for _, name := range f.own {
		at, err := find(entry, name)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(wanted, func(s setting) bool { return s.name == name })
		if at >= 0 && i < 0 {
			remove(entry, at)
		}
	}
	for _, each := range wanted {
		at, err := find(entry, each.name)
		if err != nil {
			return err
		}
		if at < 0 || !reflect.DeepEqual(valueOf(entry.Members[at].Value), each.value()) {
			layout.put(entry, base, each.name, layout.render(each, base))
		}
	}
	return nil
}

// parse gives a document whose root is an object.
func (f jsonFormat) parse(content []byte) (*hujson.Value, error) {
	document, err := hujson.Parse(content)
	if err != nil {
		// The parser quotes what it stumbled over, which may be a part of a secret.
		return nil, problem("it is not valid JSON")
	}
	if !f.comments && !json.Valid(content) {
		return nil, problem("it has comments or trailing commas, which this host does not read")
	}
	if _, ok := document.Value.(*hujson.Object); !ok {
		return nil, problem("it is JSON, but not an object")
	}
	return &document, nil
}

// objectAt is a member that must be an object; nil when it is absent.
func (f jsonFormat) objectAt(parent *hujson.Object, name string) (*hujson.Object, error) {
	at, err := find(parent, name)
	if err != nil || at < 0 {
		return nil, err
	}
	object, ok := parent.Members[at].Value.Value.(*hujson.Object)
	if !ok {
		return nil, problem(fmt.Sprintf("its member %s is not an object", name))
	}
	return object, nil
}

// find is the place of a member, or -1. Hosts differ in which of two members with one name counts.
func find(object *hujson.Object, name string) (int, error) {
	found := -1
	for i := range object.Members {
		literal, _ := object.Members[i].Name.Value.(hujson.Literal)
		if literal.String() != name {
			continue
		}
		if found >= 0 {
			return -1, problem(fmt.Sprintf("it has %s twice", name))
		}
		found = i
	}
	return found, nil
}

func valueOf(value hujson.Value) any {
	standard := value.Clone()
	standard.Standardize()
	var decoded any
	if err := json.Unmarshal(standard.Pack(), &decoded); err != nil {
		return nil // parsed before, so it decodes
	}
	return decoded
}

// remove takes a member out. hujson marks a comma after the last member by a value's AfterExtra that is not
// nil, so the mark moves to the member that is last now.
func remove(object *hujson.Object, at int) {
	last := len(object.Members) - 1
	comma := object.Members[last].Value.AfterExtra != nil
	object.Members = slices.Delete(object.Members, at, at+1)
	if at < last || len(object.Members) == 0 {
		return
	}
	before := &object.Members[last-1].Value
	object.AfterExtra = append(bytes.Clone(before.AfterExtra), object.AfterExtra...)
	before.AfterExtra = nil
	if comma {
		before.AfterExtra = hujson.Extra{}
	}
}

func (f jsonFormat) decode(content []byte) (map[string]any, error) {
	if blank(content) {
		return map[string]any{}, nil
	}
	document, err := f.parse(content)
	if err != nil {
		return nil, err
	}
	standard := document.Clone()
	standard.Standardize()
	decoder := json.NewDecoder(bytes.NewReader(standard.Pack()))
	decoder.UseNumber() // numbers are compared as they are spelled
	decoded := map[string]any{}
	if err := decoder.Decode(&decoded); err != nil {
		return nil, problem("it is not valid JSON")
	}
	return decoded, nil
}

// readable breaks a file that stands on one line into several.
func (f jsonFormat) readable(content []byte) []byte {
	if blank(content) || bytes.Contains(bytes.TrimSpace(content), []byte("\n")) {
		return content
	}
	document, err := f.parse(content)
	if err != nil {
		return content
	}
	var indented bytes.Buffer
	standard := document.Clone()
	standard.Standardize()
	if err := json.Indent(&indented, standard.Pack(), "", "  "); err != nil {
		return content
	}
	return indented.Bytes()
}

func blank(content []byte) bool { return len(bytes.TrimSpace(content)) == 0 }
