package toolspec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"gopkg.in/yaml.v3"
)

// parse reads one YAML file strictly and returns its mapping, or nil if it has none. It refuses features that specs do
// not need: several documents, anchors, aliases, merge keys and tags.
func (r *report) parse(file string, text []byte) *yaml.Node {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		r.addFile(file, err, "is empty; write the spec, or remove the file")
		return nil
	} else if err != nil {
		r.addSyntax(file, err)
		return nil
	}
	var second yaml.Node
	if err := decoder.Decode(&second); err == nil {
		r.addFile(file, nil, "holds several YAML documents; keep one, without ---")
	} else if !errors.Is(err, io.EOF) {
		r.addSyntax(file, err)
	}
	if len(document.Content) == 0 {
		r.addFile(file, nil, "is empty; write the spec, or remove the file")
		return nil
	}
	root := document.Content[0]
	r.locate(root, place{file: file})
	if root.Kind != yaml.MappingNode {
		r.add(root, "must be a mapping of keys to values, not %s", kindOf(root))
		return nil
	}
	return root
}

// locate records the places of a node and of all nodes below it, and notes what is refused in them.
func (r *report) locate(node *yaml.Node, where place) {
	where.line, where.column = node.Line, node.Column
	r.places[node] = where
	switch {
	case node.Kind == yaml.AliasNode:
		r.add(node, "is an alias; write the text out, or take it from shared.yaml with use")
		return
	case node.Anchor != "":
		r.add(node, "has the anchor %q; remove it, specs are shared with use", node.Anchor)
	case node.Style&yaml.TaggedStyle != 0:
		r.add(node, "has the tag %q; remove it", node.Tag)
	}
	switch node.Kind {
	case yaml.MappingNode:
		r.locateMapping(node, where)
	case yaml.SequenceNode:
		for index, item := range node.Content {
			below := where
			below.path = fmt.Sprintf("%s[%d]", where.path, index)
			r.locate(item, below)
		}
	}
}

// locateMapping locates the entries of a mapping and drops those that it refuses, so that decoding does not see them.
func (r *report) locateMapping(node *yaml.Node, where place) {
	firstLines := map[string]int{}
	kept := make([]*yaml.Node, 0, len(node.Content))
	for key, value := range entries(node) {
		below := where
		below.line, below.column = key.Line, key.Column
		if key.Kind == yaml.ScalarNode {
			below.path = joinKey(where.path, key.Value)
		}
		firstLine, twice := firstLines[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode:
			r.addAt(below, "has a key that is %s; write the key as one word", kindOf(key))
			r.partial[node] = true
		case key.Tag == "!!merge":
			r.addAt(below, "is a merge key; write the text out, or take it from shared.yaml with use")
			r.partial[node] = true
		case key.Style&yaml.TaggedStyle != 0 || key.Anchor != "":
			r.addAt(below, "has a tag or an anchor on its key; remove it")
			r.partial[node] = true
		case twice:
			r.addAt(below, "is given twice, first on line %d; keep one", firstLine)
		default:
			firstLines[key.Value] = key.Line
			r.places[key] = below
			r.locate(value, below)
			kept = append(kept, key, value)
		}
	}
	node.Content = kept
}

// entries iterates over the keys and values of a mapping in order.
func entries(mapping *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		for index := 0; index+1 < len(mapping.Content); index += 2 {
			if !yield(mapping.Content[index], mapping.Content[index+1]) {
				return
			}
		}
	}
}

// valueOf returns the value of a key, or nil.
func valueOf(mapping *yaml.Node, name string) *yaml.Node {
	for key, value := range entries(mapping) {
		if key.Value == name {
			return value
		}
	}
	return nil
}

// kindOf describes the kind of a node for a message.
func kindOf(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch node.ShortTag() {
	case "!!null":
		return "empty"
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "true or false"
	case "!!timestamp":
		return "a time"
	}
	return "text"
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// joinKey appends a key to a path. It quotes a key that is not a plain word.
func joinKey(path, key string) string {
	if !plainKey.MatchString(key) {
		key = strconv.Quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}
