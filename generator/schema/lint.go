package schema

import (
	"bytes"
	_ "embed" // the rules
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Side is the side of a tool that a schema describes. The rules differ: inputs are closed, outputs are open.
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

//go:embed portable.json
var portable []byte

// Lint joins a *Problem for each part of a schema that breaks the rules in portable.json.
func Lint(side Side, document []byte) error {
	compiler := jsonschema.NewCompiler()
	rules, err := jsonschema.UnmarshalJSON(bytes.NewReader(portable))
	if err == nil {
		err = compiler.AddResource("spec:///portable", rules)
	}
	if err != nil {
		return fmt.Errorf("read the rules for schemas: %w", err)
	}
	read, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return errors.Join(&Problem{Side: side, Message: "is not JSON: " + err.Error()})
	}
	compiled, err := compiler.Compile("spec:///portable#/$defs/" + string(side))
	if err != nil {
		return fmt.Errorf("read the rules for schemas: %w", err)
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(compiled.Validate(read), &invalid) {
		return nil
	}
	linter := linter{side: side, compiler: compiler, reported: map[string]bool{}}
	linter.add(invalid)
	return errors.Join(linter.problems...)
}

type linter struct {
	side     Side
	compiler *jsonschema.Compiler
	reported map[string]bool // by pointer
	problems []error
}

// add reports a violation, or those that it groups. Each place is reported once.
func (l *linter) add(violation *jsonschema.ValidationError) {
	for _, cause := range violation.Causes {
		l.add(cause)
	}
	if violation.Causes != nil {
		return
	}
	rule, _ := l.compiler.Compile(violation.SchemaURL) // compiled above
	keywords, message := []string{""}, rule.Comment
	switch broken := violation.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		keywords, message = broken.Properties, "is not read by every provider: say it without this keyword"
	case *kind.Required:
		keywords, message = broken.Missing, "is missing: every provider needs it"
	case *kind.Type:
		if broken.Want[0] == "object" {
			message = "is not a JSON object: boolean schemas are not read by every provider"
		}
	}
	for _, keyword := range keywords {
		pointer := strings.Join(append([]string{""}, violation.InstanceLocation...), "/")
		if keyword != "" {
			pointer += "/" + keyword
		}
		if !l.reported[pointer] {
			l.reported[pointer] = true
			l.problems = append(l.problems, &Problem{Side: l.side, Pointer: pointer, Message: message})
		}
	}
}
