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

// node returns the node at a path, or the nearest one above it.
func (s source) node(path string) *yaml.Node {
	node, _ := s.nearest(path)
	return node
}

// nearest returns the node at a path, or the nearest one above it, and that node's path.
func (s source) nearest(path string) (*yaml.Node, string) {
	for path != "" {
		if node, found := s.nodes[path]; found {
			return node, path
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return s.root, ""
}

// add notes a problem with the value at a path.
func (s source) add(path, format string, values ...any) {
	s.report.add(s.node(path), format, values...)
}

// addMissing notes that a value is missing at a path. The problem's place is the nearest node above it.
func (s source) addMissing(path, format string, values ...any) {
	node, above := s.nearest(path)
	s.report.addBelow(node, strings.TrimPrefix(path[len(above):], "."), format, values...)
}

// addOwn notes a problem with how a value is used. For text from another file, the problem's place is the use.
func (s source) addOwn(path, format string, values ...any) {
	own := s.report.places[s.root].file
	for above := path; above != ""; above = above[:max(strings.LastIndexAny(above, ".["), 0)] {
		if node, found := s.nodes[above]; found && s.report.places[node].file == own {
			if above == path {
				s.report.add(node, format, values...)
			} else {
				s.report.addBelow(node, strings.TrimPrefix(path[len(above):], "."), format, values...)
			}
			return
		}
	}
	s.addMissing(path, format, values...)
}

// has reports whether there is a value at a path.
func (s source) has(path string) bool {
	_, found := s.nodes[path]
	return found
}
