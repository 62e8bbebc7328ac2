package mcphost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/tailscale/hujson"
)

// jsonFormat is JSON, optionally with comments and trailing commas.
type jsonFormat struct {
	comments bool // the host accepts comments and trailing commas
}

func (f jsonFormat) change(content []byte, section, name string, wanted []setting) ([]byte, error) {
	if blank(content) {
		content = []byte("{}\n")
	}
	document, err := f.parse(content)
	if err != nil {
		return nil, err
	}
	layout := layoutOf(content, document)
	root := document.Value.(*hujson.Object) // parse ensures it
	servers, base, err := layout.objectIn(root, section, "")
	if err != nil {
		return nil, err
	}
	entry, base, err := layout.objectIn(servers, name, base)
	if err != nil {
		return nil, err
	}
	for _, isRemoval := range []bool{true, false} { // the last member may be removed, and others added after it
		for _, each := range wanted {
			if (each.value == nil) != isRemoval {
				continue
			}
			if err := layout.set(entry, base, each); err != nil {
				return nil, err
			}
		}
	}
	return document.Pack(), nil
}

// set adds, changes or removes a member. It does not rewrite a correct one.
func (l layout) set(entry *hujson.Object, base string, wanted setting) error {
	index, err := find(entry, wanted.name)
	switch {
	case err != nil:
		return err
	case index >= 0 && wanted.value == nil:
		remove(entry, index)
	case index >= 0:
		held := &entry.Members[index].Value
		var value any
		_ = json.Unmarshal(standard(held), &value) // parsed before
		if !reflect.DeepEqual(value, wanted.value) {
			held.Value = l.render(wanted, base)
		}
	case wanted.value != nil:
		l.insert(entry, base, wanted.name, l.render(wanted, base))
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

// remove deletes a member. In hujson, a trailing comma is a non-nil AfterExtra of the last value, which moves to the
// new last member.
func remove(object *hujson.Object, index int) {
	last := len(object.Members) - 1
	comma := object.Members[last].Value.AfterExtra
	object.Members = slices.Delete(object.Members, index, index+1)
	if index == last && last > 0 {
		before := &object.Members[last-1].Value
		object.AfterExtra = append(bytes.Clone(before.AfterExtra), object.AfterExtra...)
		before.AfterExtra = comma[:0:0]
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

// layout is the white space of a JSON file, for added members.
type layout struct {
	newline string // empty: a single line
	unit    string // indentation
}

func layoutOf(content []byte, document *hujson.Value) layout {
	found := layout{newline: "\n", unit: "  "}
	root := document.Value.(*hujson.Object)
	switch {
	case bytes.Contains(content, []byte("\r\n")):
		found.newline = "\r\n"
	case len(root.Members) > 0 && !bytes.Contains(bytes.TrimSpace(content), []byte("\n")):
		return layout{}
	}
	if len(root.Members) > 0 {
		if indent, ok := lineIndent(root.Members[0].Name.BeforeExtra); ok && indent != "" {
			found.unit = indent
		}
	}
	return found
}

// lineIndent returns the white space after the last line break, if there is nothing else.
func lineIndent(before hujson.Extra) (string, bool) {
	index := bytes.LastIndexByte(before, '\n')
	if index < 0 || len(bytes.Trim(before[index+1:], " \t")) > 0 {
		return "", false
	}
	return string(before[index+1:]), true
}

// objectIn returns a member that must be an object, and the indentation of its line. It adds a missing one.
func (l layout) objectIn(parent *hujson.Object, name, base string) (*hujson.Object, string, error) {
	index, err := find(parent, name)
	if err != nil {
		return nil, "", err
	}
	if index < 0 {
		index = len(parent.Members)
		l.insert(parent, base, name, &hujson.Object{})
	}
	object, ok := parent.Members[index].Value.Value.(*hujson.Object)
	if !ok {
		return nil, "", problem(fmt.Sprintf("its member %s is not an object", name))
	}
	if indent, ok := lineIndent(parent.Members[index].Name.BeforeExtra); ok {
		return object, indent, nil
	}
	return object, base + l.unit, nil
}

// insert adds a member at the end. Comments there stay with the previous member.
func (l layout) insert(object *hujson.Object, base, name string, value hujson.ValueTrimmed) {
	member := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: hujson.Value{Value: value}}
	comments := bytes.TrimRight(object.AfterExtra, " \t\r\n")
	closing := bytes.Clone(object.AfterExtra[len(comments):])
	member.Name.BeforeExtra = bytes.Clone(comments)
	if l.newline != "" {
		indent := base + l.unit
		if len(object.Members) > 0 {
			if sibling, ok := lineIndent(object.Members[len(object.Members)-1].Name.BeforeExtra); ok {
				indent = sibling
			}
		}
		member.Name.BeforeExtra = append(member.Name.BeforeExtra, l.newline+indent...)
		member.Value.BeforeExtra = hujson.Extra(" ")
		if !bytes.Contains(closing, []byte("\n")) {
			closing = []byte(l.newline + base)
		}
	}
	if last := len(object.Members) - 1; last >= 0 && object.Members[last].Value.AfterExtra != nil {
		member.Value.AfterExtra = hujson.Extra{} // keep the trailing comma
	}
	object.AfterExtra = closing
	object.Members = append(object.Members, member)
}

// render returns a setting's value. A list has one line per text, as hosts write it.
func (l layout) render(s setting, base string) hujson.ValueTrimmed {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if l.newline != "" {
		encoder.SetIndent(base+l.unit, l.unit)
	}
	_ = encoder.Encode(s.value) // strings always encode
	value, _ := hujson.Parse(bytes.ReplaceAll(text.Bytes(), []byte("\n"), []byte(l.newline)))
	return value.Value
}
