package mcphost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// jsonFormat is JSON, optionally with comments and trailing commas.
type jsonFormat struct {
	section  string
	own      []string
	comments bool // the host accepts comments and trailing commas
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
	root := document.Value.(*hujson.Object) // parse ensures it
	servers, base, err := layout.objectIn(root, f.section, "")
	if err != nil {
		return nil, err
	}
	entry, base, err := layout.objectIn(servers, name, base)
	if err != nil {
		return nil, err
	}
	if err := f.write(entry, layout, base, wanted); err != nil {
		return nil, err
	}
	return document.Pack(), nil
}

// write sets the wanted members and removes the other owned ones. It does not rewrite correct members.
func (f jsonFormat) write(entry *hujson.Object, layout layout, base string, wanted []setting) error {
	for _, name := range f.own {
		index, err := find(entry, name)
		if err != nil {
			return err
		}
		if _, isWanted := settingOf(wanted, name); index >= 0 && !isWanted {
			remove(entry, index)
		}
	}
	for _, each := range wanted {
		index, err := find(entry, each.name)
		if err != nil {
			return err
		}
		if index < 0 {
			layout.insert(entry, base, each.name, layout.render(each, base))
			continue
		}
		held := &entry.Members[index].Value
		var value any
		_ = json.Unmarshal(standard(held), &value) // parsed before
		if !each.equals(value) {
			held.Value = layout.render(each, base)
		}
	}
	return nil
}

func (f jsonFormat) parse(content []byte) (*hujson.Value, error) {
	document, err := hujson.Parse(content)
	if err != nil {
		// The parser's error may quote a secret.
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

// find returns the index of a member, or -1. It refuses duplicates, since hosts differ in which one counts.
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

// standard returns a value as JSON without comments and trailing commas.
func standard(value *hujson.Value) []byte {
	clean := value.Clone()
	clean.Standardize()
	return clean.Pack()
}

// remove deletes a member. In hujson, a trailing comma is a non-nil AfterExtra of the last value, which moves to the new last member.
func remove(object *hujson.Object, index int) {
	last := len(object.Members) - 1
	comma := object.Members[last].Value.AfterExtra != nil
	object.Members = slices.Delete(object.Members, index, index+1)
	if index < last || len(object.Members) == 0 {
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
	decoder := json.NewDecoder(bytes.NewReader(standard(document)))
	decoder.UseNumber() // numbers are compared as text
	decoded := map[string]any{}
	if err := decoder.Decode(&decoded); err != nil {
		return nil, problem("it is not valid JSON")
	}
	return decoded, nil
}

// readable indents a file with a single line.
func (f jsonFormat) readable(content []byte) []byte {
	if blank(content) || bytes.Contains(bytes.TrimSpace(content), []byte("\n")) {
		return content
	}
	document, err := f.parse(content)
	if err != nil {
		return content
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, standard(document), "", "  "); err != nil {
		return content
	}
	return indented.Bytes()
}

func blank(content []byte) bool { return len(bytes.TrimSpace(content)) == 0 }
