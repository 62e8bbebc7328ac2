package plan

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Build plans a surface. Everything that cannot be expressed is reported at once, each as an *Error
// (errors.Join).
func Build(surface *toolspec.Surface) (*Plan, error) {
	plan := &Plan{
		Instructions: surface.Instructions,
		Budget:       surface.Budget,
		Templates:    surface.Templates,
	}
	outputs := map[string]toolspec.Output{}
	for _, output := range surface.Outputs {
		outputs[output.Name] = output
	}
	var problems []error
	planned := func(specs []toolspec.Tool) []Tool {
		var tools []Tool
		for _, spec := range specs {
			builder := builder{spec: spec, outputs: outputs, arguments: map[string]Argument{}}
			tools = append(tools, builder.tool())
			problems = append(problems, builder.problems...)
		}
		return tools
	}
	plan.Tools, plan.Commands = planned(surface.Tools), planned(surface.Commands)
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return plan, nil
}

// builder plans one tool.
type builder struct {
	spec      toolspec.Tool
	outputs   map[string]toolspec.Output
	arguments map[string]Argument // by name, as far as planned
	problems  []error
}

func (b *builder) refuse(place, format string, values ...any) {
	b.problems = append(b.problems, &Error{File: b.spec.File, Place: place, Message: fmt.Sprintf(format, values...)})
}

func (b *builder) tool() Tool {
	tool := Tool{
		Name:        b.spec.Name,
		GoName:      GoName(b.spec.Name),
		LocalName:   LocalName(b.spec.Name),
		Title:       b.spec.Title,
		Description: b.spec.Description,
		File:        b.spec.File,
		BudgetBytes: b.spec.Budget.Bytes,
		Endpoint:    b.spec.Endpoint,
	}
	for i, spec := range b.spec.Arguments {
		argument := b.argument(fmt.Sprintf("arguments[%d]", i), spec)
		b.arguments[argument.Name] = argument
		tool.Arguments = append(tool.Arguments, argument)
	}
	tool.Target = b.target()
	tool.Preconditions = b.preconditions()
	if request := b.spec.Request; request != nil {
		tool.Request = b.request(request)
		tool.Endpoint = request.Method + " " + strings.ReplaceAll(request.Path, "{"+targetVariable+".", "{")
	}
	tool.Terminal = b.terminal()
	if result := b.spec.Result; result != nil && !tool.IsDownload() {
		renderers := toolspec.Renderers
		if tool.Terminal != nil {
			renderers = toolspec.TerminalRenderers
		}
		tool.Render = b.call("result", "render", renderers, result.Render, result.With)
	}
	if operation := b.spec.Operation; operation != nil {
		tool.Operation = b.call("operation", "operation", toolspec.Operations, operation.Run, operation.With)
	}
	output, ok := b.outputs[b.spec.Output]
	if !ok && tool.Terminal == nil {
		b.refuse("output", "no output %q: add it to outputs in shared.yaml", b.spec.Output)
	}
	tool.Output = output
	return tool
}
