package toolspec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one problem of the specs, with its place and its remedy.
type Problem struct {
	File    string // relative to the folder above toolspec, with forward slashes
	Line    int    // from 1
	Column  int    // from 1, in characters
	Path    string // inside the file: `arguments[1].send`; empty for the file as a whole
	Message string // what is wrong and what to do about it, on one line
	Cause   error  // the error of the file system or of the YAML parser; may be nil
}

// Error returns the problem as `file:line:column: path: message`.
func (p Problem) Error() string {
	place := fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Column)
	if p.Path == "" {
		return place + p.Message
	}
	return place + p.Path + ": " + p.Message
}

// Unwrap returns the cause.
func (p Problem) Unwrap() error { return p.Cause }

// Problems are all problems of the specs, sorted by place, each once.
type Problems []Problem

// Error returns the problems, one per line.
func (ps Problems) Error() string {
	return strings.Join(textsOf(ps, Problem.Error), "\n")
}

// Unwrap returns each problem as an error.
func (ps Problems) Unwrap() []error {
	errs := make([]error, 0, len(ps))
	for _, problem := range ps {
		errs = append(errs, problem)
	}
	return errs
}

// sorted sorts the problems by place and drops duplicates, since a shared argument is checked with every tool that uses
// it.
func (ps Problems) sorted() Problems {
	ordered := slices.Clone(ps)
	slices.SortStableFunc(ordered, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.CompactFunc(ordered, func(a, b Problem) bool { return a.Error() == b.Error() })
}
