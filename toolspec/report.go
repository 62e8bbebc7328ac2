package toolspec

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
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

// addBelow notes a problem with a missing value, by its path below a mapping.
func (r *report) addBelow(mapping *yaml.Node, below, format string, values ...any) {
	where := r.places[mapping]
	where.path = strings.TrimPrefix(where.path+"."+below, ".")
	r.addAt(where, format, values...)
}

// addFile notes a problem with a file as a whole.
func (r *report) addFile(file string, cause error, format string, values ...any) {
	r.problems = append(r.problems, Problem{
		File: file, Line: 1, Column: 1,
		Message: oneLine.Replace(fmt.Sprintf(format, values...)),
		Cause:   cause,
	})
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
	problem := Problem{File: file, Line: 1, Column: 1, Message: "is not YAML: " + err.Error(), Cause: err}
	if match := syntaxLine.FindStringSubmatch(err.Error()); match != nil {
		if line, convErr := strconv.Atoi(match[1]); convErr == nil {
			problem.Line = line
			problem.Message = "is not YAML: " + err.Error()[len(match[0]):]
		}
	}
	r.problems = append(r.problems, problem)
}
