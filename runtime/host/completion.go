package host

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/host/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	methodComplete = "completion/complete"

	maxCompletions    = 100 // values in one answer (MCP 2025-06-18, Completion)
	completionTimeout = 5 * time.Second
)

// completer completes the arguments of prompts and the variables of resource templates with names of the caller's grant (R-MCP-1).
type completer struct {
	surface tool.Surface
	runner  *toolcall.Runner
}

// complete answers completion/complete. It offers nothing if the names cannot be read.
func (c completer) complete(ctx context.Context, request *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	asked := request.Params
	kind, arguments, err := c.kindOf(asked)
	if err != nil {
		return nil, err
	}
	result := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	if kind == tool.CompleteNothing {
		return result, nil
	}
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	names, err := readNames(ctx, c.runner, sdkCall(methodComplete, tool.Definition{}, request))
	if err != nil {
		return result, nil //nolint:nilerr // see above
	}
	chosen := func(kind tool.Completion) string {
		if name := arguments[kind]; name != "" && asked.Context != nil {
			return asked.Context.Arguments[name]
		}
		return ""
	}
	var found []string
	offer := func(name, label string) {
		if typed := asked.Argument.Value; (begins(name, typed) || begins(label, typed)) && tool.IsPromptValue(name) {
			found = append(found, name)
		}
	}
	switch kind {
	case tool.CompleteStream:
		for _, stream := range names.Streams(chosen(tool.CompleteConnection)) {
			offer(stream, "")
		}
	case tool.CompleteConnection:
		for _, connection := range names.Connections(chosen(tool.CompleteStream)) {
			offer(connection.ID, connection.Label)
		}
	}
	result.Completion.Total = len(found)
	if len(found) > maxCompletions {
		found, result.Completion.HasMore = found[:maxCompletions], true
	}
	result.Completion.Values = append(result.Completion.Values, found...)
	return result, nil
}

func (c completer) kindOf(asked *mcp.CompleteParams) (kind tool.Completion, names map[tool.Completion]string, err error) {
	for _, prompt := range c.surface.Prompts {
		if asked.Ref.Type != "ref/prompt" || asked.Ref.Name != prompt.Name {
			continue
		}
		isKnown := false
		names = make(map[tool.Completion]string, len(prompt.Arguments))
		for _, argument := range prompt.Arguments {
			names[argument.Complete] = argument.Name
			if argument.Name == asked.Argument.Name {
				kind, isKnown = argument.Complete, true
			}
		}
		if isKnown {
			return kind, names, nil
		}
		return 0, nil, noSuch("unknown argument %q of the prompt: use one that prompts/list shows", asked.Argument.Name)
	}
	for _, template := range c.surface.Templates {
		if asked.Ref.Type != "ref/resource" || asked.Ref.URI != template.URITemplate {
			continue
		}
		if !strings.HasSuffix(template.URITemplate, "{"+asked.Argument.Name+"}") {
			return 0, nil, noSuch("unknown variable %q of the template: use one that resources/templates/list shows", asked.Argument.Name)
		}
		return template.Complete, nil, nil
	}
	return 0, nil, noSuch("unknown reference %q: use one of prompts/list or resources/templates/list", asked.Ref.Name+asked.Ref.URI)
}

func noSuch(format, name string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, name)}
}

func begins(name, typed string) bool {
	return strings.HasPrefix(strings.ToLower(name), strings.ToLower(typed))
}

func readNames(ctx context.Context, runner *toolcall.Runner, call toolcall.Call) (names schemadoc.Names, err error) {
	err = runner.Read(ctx, call, func(ctx context.Context, env tool.Env) error {
		document, err := schemadoc.Scope{}.Ask(ctx, env.RS.Get, nil)
		if err == nil {
			names = document.Names()
		}
		return err
	})
	return names, err
}
