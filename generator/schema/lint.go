package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Side is what a schema describes. The rules differ: inputs are closed, outputs are loose.
type Side string

// The sides of a tool.
const (
	InputSide  Side = "input"
	OutputSide Side = "output"
)

// Problem is a part of a schema that some model provider or client cannot use (R-SURF-10).
type Problem struct {
	Side    Side
	Pointer string // JSON Pointer (RFC 6901); empty for the whole schema
	Message string // what is wrong, and the cure
}

func (p *Problem) Error() string {
	return fmt.Sprintf("%s schema, %q: %s", p.Side, p.Pointer, p.Message)
}

// Lint joins a *Problem for each part of a schema that is not portable.
func Lint(side Side, document []byte) error {
	linter := linter{side: side}
	linter.top(document)
	return errors.Join(linter.problems...)
}

// portable are the keywords that every model provider reads or safely ignores.
var portable = []string{
	"type", "description", "enum", "minimum", "maximum", "items",
	"properties", "required", "minProperties", "additionalProperties", "anyOf",
}

// node is one schema, keyword by keyword.
type node map[string]json.RawMessage

type linter struct {
	side     Side
	problems []error
}

func (l *linter) report(pointer, message string) {
	l.problems = append(l.problems, &Problem{Side: l.side, Pointer: pointer, Message: message})
}

// top checks the rules for the whole schema.
func (l *linter) top(document []byte) {
	root, ok := l.node("", document)
	if !ok {
		return
	}
	if kind, ok := text(root["type"]); !ok || kind != "object" {
		l.report("/type", `must be "object": arguments and structured content are objects`)
	}
	if _, ok := root["anyOf"]; ok {
		l.report("/anyOf", "is not read at the top level: describe one object")
	}
	if l.side == InputSide && string(root["additionalProperties"]) != "false" {
		l.report("/additionalProperties", "must be false: unknown arguments are refused (R-SURF-9)")
	}
	l.schema("", root)
}

// schema checks the rules for every schema, and the schemas inside it.
func (l *linter) schema(pointer string, schema node) {
	for _, keyword := range slices.Sorted(maps.Keys(schema)) {
		if !slices.Contains(portable, keyword) {
			l.report(pointer+"/"+keyword, "is not read by every provider: say it without "+keyword)
		}
	}
	l.kind(pointer, schema)
	if l.side == OutputSide {
		l.loose(pointer, schema)
	}
	l.below(pointer, schema)
}

// kind checks that a schema names one type and has the keywords that the type needs.
func (l *linter) kind(pointer string, schema node) {
	value, present := schema["type"]
	kind, ok := text(value)
	switch {
	case !present && schema["anyOf"] == nil:
		l.report(pointer+"/type", "is missing: name one type")
	case present && !ok:
		l.report(pointer+"/type", "must be one name: write alternatives as anyOf below the top level")
	case kind == "object" && schema["properties"] == nil:
		l.report(pointer+"/properties", "is missing: an open map has an empty one next to additionalProperties")
	case kind == "array" && schema["items"] == nil:
		l.report(pointer+"/items", "is missing: say what the items are")
	}
}

// loose checks the rules for outputs. Clients drop a result that does not fit its schema.
func (l *linter) loose(pointer string, schema node) {
	if string(schema["additionalProperties"]) == "false" {
		l.report(pointer+"/additionalProperties", "must not be false: results may gain members")
	}
	for _, keyword := range []string{"required", "enum"} {
		if schema[keyword] != nil {
			l.report(pointer+"/"+keyword, "is not allowed in an output: error results must be valid too")
		}
	}
}

// below checks the schemas inside one.
func (l *linter) below(pointer string, schema node) {
	l.inside(pointer+"/items", schema["items"])
	if others := schema["additionalProperties"]; string(others) != "false" {
		l.inside(pointer+"/additionalProperties", others)
	}
	var properties node
	if json.Unmarshal(schema["properties"], &properties) == nil {
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			l.inside(pointer+"/properties/"+name, properties[name])
		}
	}
	var alternatives []json.RawMessage
	if json.Unmarshal(schema["anyOf"], &alternatives) == nil {
		for i, alternative := range alternatives {
			l.inside(pointer+"/anyOf/"+strconv.Itoa(i), alternative)
		}
	}
}

func (l *linter) inside(pointer string, document json.RawMessage) {
	if document == nil {
		return
	}
	if schema, ok := l.node(pointer, document); ok {
		l.schema(pointer, schema)
	}
}

func (l *linter) node(pointer string, document []byte) (node, bool) {
	var read node
	if err := json.Unmarshal(document, &read); err != nil || read == nil {
		l.report(pointer, "is not a JSON object: boolean schemas are not read by every provider")
		return nil, false
	}
	return read, true
}

func text(value json.RawMessage) (string, bool) {
	var read string
	return read, json.Unmarshal(value, &read) == nil
}
