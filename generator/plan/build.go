package plan

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Build plans a surface that toolspec.Load returned. It panics on any other, since only Load checks the specs.
func Build(surface *toolspec.Surface) *Plan {
	return &Plan{
		Surface:  surface,
		Tools:    planned(surface, surface.Tools),
		Commands: planned(surface, surface.Commands),
		Names:    names(surface.Calls),
		Advice:   advice(surface),
	}
}

// names returns the constants of the calls that results suggest.
func names(calls []toolspec.Call) []Name {
	var names []Name
	for _, call := range calls {
		word := toolspec.Calls.Get(call.Call)
		names = append(names, Name{Constant: word.Function + "Tool", Value: call.Tool})
		for _, parameter := range word.Parameters {
			for _, binding := range call.With {
				if binding.Name == parameter.Name {
					names = append(names, Name{Constant: word.Function + GoName(parameter.Name), Value: binding.Value})
				}
			}
		}
	}
	return names
}

func advice(surface *toolspec.Surface) []Advice {
	var planned []Advice
	for _, refusal := range surface.Refusals() {
		planned = append(planned,
			Advice{Code: refusal.Code, Show: toolspec.Shows.Get(refusal.Show).Function, Hint: refusal.Hint})
	}
	return planned
}

func planned(surface *toolspec.Surface, specs []toolspec.Tool) []Tool {
	tools := make([]Tool, 0, len(specs))
	for _, spec := range specs {
		tool := builder{spec}.tool()
		tool.Output = surface.Output(spec)
		tools = append(tools, tool)
	}
	return tools
}

// builder plans one tool.
type builder struct{ spec toolspec.Tool }

func (b builder) tool() Tool {
	tool := Tool{
		Tool:          b.spec,
		GoName:        GoName(b.spec.Name),
		LocalName:     LocalName(b.spec.Name),
		Endpoint:      b.spec.Endpoint,
		Target:        b.target(),
		Preconditions: b.preconditions(),
		Terminal:      b.terminal(),
	}
	for _, spec := range b.spec.Arguments {
		tool.Arguments = append(tool.Arguments, b.argument(spec))
	}
	if request := b.spec.Request; request != nil {
		tool.Request = b.request(request)
		tool.Endpoint = request.Method + " " + strings.ReplaceAll(request.Path, "{"+targetVariable+".", "{")
	}
	if result := b.spec.Result; result != nil && !tool.IsDownload() {
		tool.Render = b.call("render", b.spec.Renderers().Get(result.Render), result.With)
		tool.Table, tool.Pages, tool.Changes = toolspec.Tables.Get(result.Table).Function, result.Pages, result.Changes
	}
	if operation := b.spec.Operation; operation != nil {
		tool.Operation = b.call("operation", toolspec.Operations.Get(operation.Run), operation.With)
	}
	return tool
}

// terminal plans the parts of a command other than its request. It returns nil for a tool of MCP clients.
func (b builder) terminal() *Terminal {
	if !b.spec.Terminal() {
		return nil
	}
	planned := &Terminal{Words: strings.Fields(b.spec.Command)}
	if result := b.spec.Result; result != nil {
		planned.Columns, planned.Secret = result.Columns, result.Secret
		planned.Download = result.Render == toolspec.RenderFile
	}
	return planned
}
