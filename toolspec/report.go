package toolspec

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
)

// place is the position of a YAML node. A node keeps it when `use` copies it into a tool.
type place struct {
	file         string
	line, column int
	path         string
}

// report collects problems, and has the place of every node.
type report struct {
	problems Problems
	places   map[*yaml.Node]place
	partial  map[*yaml.Node]bool // mappings with a dropped entry, whose missing keys are not reported
}

func newReport() *report {
	return &report{places: map[*yaml.Node]place{}, partial: map[*yaml.Node]bool{}}
}

// add notes a problem with a node.
func (r *report) add(node *yaml.Node, format string, values ...any) {
	r.addAt(r.places[node], format, values...)
}

// addBelow notes a problem with a value by the rest of its path after a node's.
func (r *report) addBelow(node *yaml.Node, rest, format string, values ...any) {
	where := r.places[node]
	where.path = strings.TrimPrefix(where.path+rest, ".")
	r.addAt(where, format, values...)
}

// addFile notes a problem with a file as a whole.
func (r *report) addFile(file string, cause error, format string, values ...any) {
	r.addAt(place{file: file, line: 1, column: 1}, format, values...)
	r.problems[len(r.problems)-1].Cause = cause
}

// oneLine escapes line breaks, so that a message that quotes the spec stays on one line.
var oneLine = strings.NewReplacer("\n", `\n`, "\r", `\r`)

func (r *report) addAt(where place, format string, values ...any) {
	r.problems = append(r.problems, Problem{
		File: where.file, Line: where.line, Column: where.column, Path: where.path,
		Message: oneLine.Replace(fmt.Sprintf(format, values...)),
	})
}

var syntaxLine = regexp.MustCompile(`^yaml: line (\d+): `)

// addSyntax notes an error of the YAML parser. It takes the line from the error's text, which is the only place for it.
func (r *report) addSyntax(file string, err error) {
	where, message := place{file: file, line: 1, column: 1}, err.Error()
	if match := syntaxLine.FindStringSubmatch(message); match != nil {
		where.line, _ = strconv.Atoi(match[1]) // of digits
		message = message[len(match[0]):]
	}
	r.addAt(where, "is not YAML: %s", message)
	r.problems[len(r.problems)-1].Cause = err
}

// unknown returns a message for an unknown word, with the nearest known word or all of them.
func unknown(noun, word string, known []string) string {
	message := fmt.Sprintf("unknown %s %q", noun, word)
	if near := nearname.Nearest(word, known); near != "" {
		return message + fmt.Sprintf("; did you mean %q?", near)
	}
	if len(known) == 0 {
		return message + "; none is allowed here"
	}
	return message + "; use one of " + strings.Join(known, ", ")
}
