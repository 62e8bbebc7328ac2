package toolspec

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// source is the file and the nodes of a decoded value.
type source struct {
	report *report
	root   *yaml.Node
	nodes  map[string]*yaml.Node // by the path in the value: arguments[1].send
	// complete is true if all of the text could be read. Otherwise missing values are not reported.
	complete bool
}

// decode checks a mapping against the schema of its file, and reads it into a struct of this package. Values that the
// schema refuses may be missing.
func decode[T any](r *report, root *yaml.Node, schema string) (T, source) {
	var value T
	from := source{report: r, root: root, nodes: map[string]*yaml.Node{}, complete: r.checkStructure(root, schema)}
	from.index(root, "")
	_ = root.Decode(&value) // the schema has refused what cannot be decoded
	return value, from
}

// index records the nodes below a node by their paths.
func (s source) index(node *yaml.Node, path string) {
	s.nodes[path] = node
	switch node.Kind {
	case yaml.MappingNode:
		for key, value := range entries(node) {
			s.index(value, joinKey(path, key.Value))
		}
	case yaml.SequenceNode:
		for i, item := range node.Content {
			s.index(item, fmt.Sprintf("%s[%d]", path, i))
		}
	}
}

// UnmarshalYAML reads a mapping of names to texts, in its order. The schema has refused other values.
func (b *Bindings) UnmarshalYAML(node *yaml.Node) error {
	*b = Bindings{}
	for key, value := range entries(node) {
		*b = append(*b, Binding{Name: key.Value, Value: value.Value})
	}
	return nil
}

// add notes a problem with the value at a path. Its place is the node there, or the nearest one above it.
func (s source) add(path, format string, values ...any) {
	s.addIn("", path, format, values...)
}

// addOwn notes a problem with how a value is used. For text from another file, the problem's place is the use.
func (s source) addOwn(path, format string, values ...any) {
	s.addIn(s.report.places[s.root].file, path, format, values...)
}

// addIn notes a problem at the nearest node that is in a file, or in any file if the name is empty.
func (s source) addIn(file, path, format string, values ...any) {
	above := path
	for ; above != ""; above = above[:max(strings.LastIndexAny(above, ".["), 0)] {
		if node, found := s.nodes[above]; found && (file == "" || s.report.places[node].file == file) {
			break
		}
	}
	s.report.addBelow(s.nodes[above], path[len(above):], format, values...)
}

// has reports whether there is a value at a path.
func (s source) has(path string) bool {
	_, found := s.nodes[path]
	return found
}
