package toolspec

import (
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
)

// source is where a decoded value was read from.
type source struct {
	report *report
	root   *yaml.Node
	nodes  map[string]*yaml.Node // by the path in the value: arguments[1].send
	// complete is true if all of the text could be read. Otherwise missing values are not reported.
	complete bool
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

// decode reads a mapping into a struct of this package by its yaml tags. It notes unknown keys, missing keys without
// omitempty, and values of a wrong kind.
func decode[T any](r *report, root *yaml.Node) (T, source) {
	var value T
	from := source{report: r, root: root, nodes: map[string]*yaml.Node{}}
	d := &decoder{report: r, nodes: from.nodes, complete: true}
	d.read(root, reflect.ValueOf(&value).Elem(), "")
	from.complete = d.complete
	return value, from
}

type decoder struct {
	report   *report
	nodes    map[string]*yaml.Node
	complete bool
}

// refuse notes a node that cannot be read.
func (d *decoder) refuse(node *yaml.Node, format string, values ...any) {
	d.complete = false
	d.report.add(node, format, values...)
}

var bindingsType = reflect.TypeFor[Bindings]()

// read reads a node into a field. It notes a node of the wrong kind and leaves the field empty.
func (d *decoder) read(node *yaml.Node, into reflect.Value, path string) {
	d.nodes[path] = node
	if node.Kind == yaml.AliasNode {
		d.complete = false // locate has noted it
		return
	}
	switch kind := into.Kind(); {
	case into.Type() == bindingsType:
		d.readBindings(node, into, path)
	case kind == reflect.Pointer:
		target := reflect.New(into.Type().Elem())
		d.read(node, target.Elem(), path)
		into.Set(target)
	case kind == reflect.Struct:
		d.readStruct(node, into, path)
	case kind == reflect.Slice:
		d.readList(node, into, path)
	default:
		d.readScalar(node, into)
	}
}

func (d *decoder) readStruct(node *yaml.Node, into reflect.Value, path string) {
	if node.Kind != yaml.MappingNode {
		d.refuse(node, "must be a mapping of keys to values, not %s", kindOf(node))
		return
	}
	fields := fieldsOf(into.Type())
	meant := map[string]bool{}
	for key, value := range entries(node) {
		field, known := find(fields, key.Value)
		if !known {
			d.refuse(key, "%s", unknown("key", key.Value, names(fields)))
			meant[nearname.Nearest(key.Value, names(fields))] = true
			continue
		}
		d.read(value, into.Field(field.index), joinKey(path, key.Value))
	}
	if d.report.partial[node] {
		d.complete = false
		return
	}
	for _, field := range fields {
		if field.required && !meant[field.name] && valueOf(node, field.name) == nil {
			d.report.addBelow(node, field.name, "is missing; add it")
		}
	}
}

func (d *decoder) readList(node *yaml.Node, into reflect.Value, path string) {
	if node.Kind != yaml.SequenceNode {
		d.refuse(node, "must be a list, not %s", kindOf(node))
		return
	}
	items := reflect.MakeSlice(into.Type(), len(node.Content), len(node.Content))
	for index, item := range node.Content {
		d.read(item, items.Index(index), fmt.Sprintf("%s[%d]", path, index))
	}
	into.Set(items)
}

func (d *decoder) readBindings(node *yaml.Node, into reflect.Value, path string) {
	if node.Kind != yaml.MappingNode {
		d.refuse(node, "must be a mapping of names to values, not %s", kindOf(node))
		return
	}
	bindings := make(Bindings, 0, len(node.Content)/2)
	for key, value := range entries(node) {
		binding := Binding{Name: key.Value}
		d.read(value, reflect.ValueOf(&binding.Value).Elem(), joinKey(path, key.Value))
		bindings = append(bindings, binding)
	}
	into.Set(reflect.ValueOf(bindings))
}

func (d *decoder) readScalar(node *yaml.Node, into reflect.Value) {
	tag := ""
	if node.Kind == yaml.ScalarNode {
		tag = node.ShortTag()
	}
	switch {
	case tag == "!!null":
		d.refuse(node, "is empty; give it a value, or remove the key")
	case into.Kind() == reflect.String && tag == "!!str":
		if strings.TrimSpace(node.Value) == "" {
			d.refuse(node, "is blank; give it a value, or remove the key")
			return
		}
		into.SetString(node.Value)
	case into.Kind() == reflect.String && node.Kind == yaml.ScalarNode:
		d.refuse(node, "must be text, not %s; put it in quotes", kindOf(node))
	case into.Kind() == reflect.String:
		d.refuse(node, "must be text, not %s", kindOf(node))
	case into.Kind() == reflect.Bool && tag == "!!bool":
		into.SetBool(node.Value[0] == 't' || node.Value[0] == 'T')
	case into.Kind() == reflect.Bool:
		d.refuse(node, "must be true or false, not %s", kindOf(node))
	case tag == "!!int":
		if err := node.Decode(into.Addr().Interface()); err != nil {
			d.refuse(node, "is beyond 64 bits; write a smaller number")
		}
	case tag == "!!float":
		d.refuse(node, "is %s; write a whole number within 64 bits", node.Value)
	default:
		d.refuse(node, "must be a whole number, not %s", kindOf(node))
	}
}

// field is one key of a mapping.
type field struct {
	name     string
	index    int
	required bool
}

// fieldsOf lists the keys that a struct reads, in the order of its fields.
func fieldsOf(structure reflect.Type) []field {
	var fields []field
	for index := range structure.NumField() {
		tag := structure.Field(index).Tag.Get("yaml")
		name, options, _ := strings.Cut(tag, ",")
		if name == "" || name == "-" {
			continue
		}
		fields = append(fields, field{name: name, index: index, required: options != "omitempty"})
	}
	return fields
}

func find(fields []field, name string) (field, bool) {
	for _, field := range fields {
		if field.name == name {
			return field, true
		}
	}
	return field{}, false
}

func names(fields []field) []string {
	list := make([]string, 0, len(fields))
	for _, field := range fields {
		list = append(list, field.name)
	}
	return list
}
