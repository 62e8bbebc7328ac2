package toolspec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"gopkg.in/yaml.v3"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
)

// structures compiles the editor schemas. A schema is compiled for each kind of file, by its name.
var structures = sync.OnceValue(func() *jsonschema.Compiler {
	compiler := jsonschema.NewCompiler()
	for name, schema := range schemas(newReflector()) {
		text, err := json.Marshal(schema)
		must(err)
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		must(err)
		must(compiler.AddResource(schemaURL(name), document))
	}
	return compiler
})

func schemaURL(name string) string { return "spec:///" + name }

// must panics on an error of the schemas, which are part of the program.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("toolspec: the schema of a spec: %v", err))
	}
}

// structure checks a file against the schema of its kind.
type structure struct {
	report   *report
	root     *yaml.Node
	complete bool // all values could be read
	noted    map[*yaml.Node]bool
	meant    map[*yaml.Node][]string // by mapping: the keys that unknown keys resemble
}

// checkStructure notes everything that a schema refuses. It reports whether all values could be read.
func (r *report) checkStructure(root *yaml.Node, schema string) (complete bool) {
	compiled, err := structures().Compile(schemaURL(schema))
	must(err)
	s := &structure{report: r, root: root, complete: true, noted: map[*yaml.Node]bool{}, meant: map[*yaml.Node][]string{}}
	value := s.value(root)
	invalid, isInvalid := compiled.Validate(value).(*jsonschema.ValidationError)
	if !isInvalid {
		return s.complete
	}
	violations := leaves(invalid)
	slices.SortStableFunc(violations, func(a, b *jsonschema.ValidationError) int { return precedence(a) - precedence(b) })
	for _, violation := range violations {
		s.note(violation)
	}
	return s.complete
}

// leaves returns the violations without those that only group others. A list of words is one violation.
func leaves(violation *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if _, isWord := violation.ErrorKind.(*kind.OneOf); isWord || len(violation.Causes) == 0 {
		return []*jsonschema.ValidationError{violation}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range violation.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// precedence orders violations: an unknown key explains a missing one, and only the first violation of a value is
// reported.
func precedence(violation *jsonschema.ValidationError) int {
	switch violation.ErrorKind.(type) {
	case *kind.AdditionalProperties, *kind.Type:
		return 0
	case *kind.OneOf:
		return 1
	case *kind.Enum:
		if !strings.Contains(violation.SchemaURL, "/allOf/") { // a rule between keys has better advice
			return 3
		}
	}
	return 2
}

// value returns the JSON value of a node, and notes mappings and aliases that could not be read.
func (s *structure) value(node *yaml.Node) any {
	switch node.Kind {
	case yaml.MappingNode:
		s.complete = s.complete && !s.report.partial[node]
		object := map[string]any{}
		for key, value := range entries(node) {
			object[key.Value] = s.value(value)
		}
		return object
	case yaml.SequenceNode:
		list := make([]any, len(node.Content))
		for i, item := range node.Content {
			list[i] = s.value(item)
		}
		return list
	case yaml.AliasNode:
		s.complete = false // locate has noted it
		s.noted[node] = true
		return nil
	}
	return scalar(node)
}

// outOfRange is a number that no key takes: a fraction, or a number beyond 64 bits.
const outOfRange = 0.5

func scalar(node *yaml.Node) any {
	switch node.ShortTag() {
	case "!!str":
		return node.Value
	case "!!bool":
		return strings.EqualFold(node.Value, "true")
	case "!!int":
		var number int64
		if node.Decode(&number) == nil {
			return number
		}
		return outOfRange
	case "!!float":
		return outOfRange
	}
	return nil // no key takes a time or an empty value
}

// at returns the node at a place in the value.
func (s *structure) at(location []string) *yaml.Node {
	node := s.root
	for _, step := range location {
		if node.Kind == yaml.SequenceNode {
			index, _ := strconv.Atoi(step) // of the validator
			node = node.Content[index]
		} else {
			node = valueOf(node, step)
		}
	}
	return node
}

// note reports a violation at its node.
func (s *structure) note(violation *jsonschema.ValidationError) {
	node := s.at(violation.InstanceLocation)
	schema, err := structures().Compile(violation.SchemaURL)
	must(err)
	switch broken := violation.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		s.unknownKeys(node, broken.Properties, slices.Sorted(maps.Keys(schema.Properties)))
	case *kind.Required:
		s.missing(node, broken.Missing)
	case *kind.DependentRequired:
		s.missing(node, broken.Missing)
	case *kind.UniqueItems:
		s.repeated(node)
	default:
		if !s.noted[node] {
			s.noted[node] = true
			s.report.add(node, "%s", s.wrong(node, violation, schema))
		}
	}
}

func (s *structure) unknownKeys(mapping *yaml.Node, unread, known []string) {
	s.complete = false
	for key := range entries(mapping) {
		if slices.Contains(unread, key.Value) {
			s.report.add(key, "%s", unknown("key", key.Value, known))
			s.meant[mapping] = append(s.meant[mapping], nearname.Nearest(key.Value, known))
		}
	}
}

// advice says what to write for a missing key whose name does not say it.
var advice = map[string]string{
	"command":  "write the words after pdpp-mcp",
	"endpoint": "say what the operation reads: GET /path",
	"request":  "add request and result, or operation",
	"required": "write true, since the argument is a part of the path",
	"result":   "name the renderer of the response",
}

func (s *structure) missing(mapping *yaml.Node, keys []string) {
	for _, key := range keys {
		if slices.Contains(s.meant[mapping], key) || s.report.partial[mapping] {
			continue
		}
		text := advice[key]
		if text == "" {
			text = "add it"
		}
		s.report.addBelow(mapping, "."+key, "is missing; %s", text)
	}
}

func (s *structure) repeated(list *yaml.Node) {
	first := map[string]string{}
	for _, item := range list.Content {
		if place, twice := first[item.Value]; twice {
			s.report.add(item, "repeats %q of %s; give each its own", item.Value, place)
		} else if item.Kind == yaml.ScalarNode {
			first[item.Value] = s.report.places[item].path
		}
	}
}

// wrong says what is wrong with a value, and how to fix it. The comment of a schema with a special rule has the advice.
func (s *structure) wrong(node *yaml.Node, violation *jsonschema.ValidationError, schema *jsonschema.Schema) string {
	tag := node.ShortTag()
	switch {
	case node.Kind == yaml.ScalarNode && tag == "!!null":
		s.complete = false
		return "is empty; give it a value, or remove the key"
	case tag == "!!str" && strings.TrimSpace(node.Value) == "":
		s.complete = false
		return "is blank; give it a value, or remove the key"
	case node.Kind == yaml.ScalarNode && strings.ContainsAny(schema.Comment[:min(1, len(schema.Comment))], ",;"):
		if tag == "!!str" {
			return fmt.Sprintf("is %q%s", node.Value, schema.Comment)
		}
		return "is " + node.Value + schema.Comment
	}
	switch broken := violation.ErrorKind.(type) {
	case *kind.Type:
		s.complete = false
		return wrongKind(node, broken.Want[0])
	case *kind.OneOf:
		var words []any
		for _, cause := range violation.Causes {
			if constant, isConstant := cause.ErrorKind.(*kind.Const); isConstant {
				words = append(words, constant.Want)
			}
		}
		return unknown("word", node.Value, texts(words))
	case *kind.Enum:
		return unknown(violation.InstanceLocation[len(violation.InstanceLocation)-1], node.Value, texts(broken.Want))
	case *kind.MinItems, *kind.MinProperties:
		return "is empty; list what belongs there, or remove the key"
	case *kind.Minimum:
		return "is " + node.Value + "; write a number of at least 1"
	case *kind.MaxLength:
		return fmt.Sprintf("has %d characters; write up to %d", broken.Got, broken.Want)
	}
	return schema.Comment
}

func texts(values []any) []string {
	return textsOf(values, func(value any) string { return fmt.Sprint(value) })
}

// kinds are the JSON types of keys in words.
var kinds = map[string]string{
	"string": "text", "boolean": "true or false", "integer": "a whole number", "array": "a list", "object": "a mapping of keys to values",
}

func wrongKind(node *yaml.Node, want string) string {
	text := "must be " + kinds[want] + ", not " + kindOf(node)
	switch tag := node.ShortTag(); {
	case want == "string" && node.Kind == yaml.ScalarNode:
		return text + "; put it in quotes"
	case want == "integer" && (tag == "!!int" || tag == "!!float"):
		return "is " + node.Value + "; write a whole number within 64 bits"
	}
	return text
}
