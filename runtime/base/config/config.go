// Package config reads the configuration file of the commands: YAML with the names of their flags (R-OPS-4). It reports
// all problems of a file at once, with their lines. It never repeats the value of an unknown name, which may be a
// secret. No other package of the server links a YAML library.
package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
)

const maxFileBytes = 64 << 10

// Known are the valid names, and whether each accepts a list.
type Known map[string]struct{ IsList bool }

// Setting is one entry of a file.
type Setting struct {
	Name   string
	Line   int
	Values []string // one, unless it is a list
}

// Problem is an error in an entry or in the whole file.
type Problem struct {
	File    string
	Line    int // from 1; 0 for the whole file
	Message string
	Cause   error // may be nil
}

func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

func (p *Problem) Unwrap() error { return p.Cause }

// Read returns the valid entries of a file in their order, and the problems of the others.
func Read(path string, known Known) (settings []Setting, problems []*Problem) {
	var text []byte
	file, err := os.Open(path)
	if err == nil {
		defer file.Close()
		text, err = io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	}
	switch {
	case err != nil:
		return nil,
			[]*Problem{{File: path, Message: "cannot be read: " + cmp.Or(errors.Unwrap(err), err).Error(), Cause: err}}
	case len(text) > maxFileBytes:
		return nil,
			[]*Problem{
				{File: path, Message: fmt.Sprintf("is longer than %d bytes; a configuration has a few lines", maxFileBytes)},
			}
	}
	return Parse(path, text, known)
}

// Parse is Read for a text.
func Parse(name string, text []byte, known Known) ([]Setting, []*Problem) {
	p := &parser{file: name, known: known, lines: make(map[string]int)}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		p.syntax(err)
		return nil, p.problems
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		p.add(0, "has several YAML documents; keep one, and remove ---")
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		p.add(root.Line, "must be names of flags with their values, such as listen: 127.0.0.1:8788")
		return nil, p.problems
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		p.entry(root.Content[i], root.Content[i+1])
	}
	return p.settings, p.problems
}

type parser struct {
	file     string
	known    Known
	lines    map[string]int // first line of each name
	settings []Setting
	problems []*Problem
}

func (p *parser) add(line int, form string, values ...any) *Problem {
	added := &Problem{File: p.file, Line: line, Message: fmt.Sprintf(form, values...)}
	p.problems = append(p.problems, added)
	return added
}

// syntaxForm is the form of the YAML library's errors. It yields the line.
var syntaxForm = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)

func (p *parser) syntax(err error) {
	line, message := 0, strings.TrimPrefix(err.Error(), "yaml: ")
	if parts := syntaxForm.FindStringSubmatch(err.Error()); parts != nil {
		line, _ = strconv.Atoi(parts[1])
		message = parts[2]
	}
	p.add(line, "is not valid YAML: %s", message).Cause = err
}

func (p *parser) entry(key, value *yaml.Node) {
	name := key.Value
	about, isKnown := p.known[name]
	first, isTwice := p.lines[name]
	switch {
	case key.Kind != yaml.ScalarNode || !isKnown:
		p.unknown(key)
		return
	case isTwice:
		p.add(key.Line, "%s is already in line %d; keep one", name, first)
		return
	}
	p.lines[name] = key.Line
	values, fits := scalars(value, about.IsList)
	switch {
	case !fits && about.IsList:
		p.add(value.Line, "%s takes a value or a list of values, such as [a, b]", name)
	case !fits:
		p.add(value.Line, "%s takes one value; write it as %[1]s: <value>", name)
	default:
		p.settings = append(p.settings, Setting{name, key.Line, values})
	}
}

// unknown adds the problem of an unknown name. It does not show the value, which may be a secret.
func (p *parser) unknown(key *yaml.Node) {
	hint := "use the name of a flag, such as log-level"
	if near := nearname.Nearest(key.Value, slices.Collect(maps.Keys(p.known))); near != "" {
		hint = "did you mean " + near + "?"
	}
	p.add(key.Line, "unknown setting %q; %s", key.Value, hint)
}

func scalars(node *yaml.Node, mayBeList bool) (values []string, fits bool) {
	nodes := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode && mayBeList {
		nodes = node.Content
	}
	for _, each := range nodes {
		if each.Kind != yaml.ScalarNode || each.Tag == "!!null" {
			return nil, false
		}
		values = append(values, each.Value)
	}
	return values, true
}
