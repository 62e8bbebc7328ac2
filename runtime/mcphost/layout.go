package mcphost

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tailscale/hujson"
)

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
