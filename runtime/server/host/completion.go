package host

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	methodComplete = "completion/complete"

	maxCompletions    = 100 // values in one answer (MCP 2025-06-18, Completion)
	completionTimeout = 5 * time.Second
)

// completer completes the arguments of prompts and the variables of resource templates with names of the caller's grant
// (R-MCP-1).
type completer struct {
	kinds  map[string]map[string]tool.Completion // of the arguments of each reference
	runner *toolcall.Runner
}

func newCompleter(surface tool.Surface, runner *toolcall.Runner) completer {
	c := completer{make(map[string]map[string]tool.Completion), runner}
	for _, prompt := range surface.Prompts {
		kinds := make(map[string]tool.Completion)
		for _, argument := range prompt.Arguments {
			kinds[argument.Name] = argument.Complete
		}
		c.kinds["ref/prompt "+prompt.Name] = kinds
	}
	for _, template := range surface.Templates {
		_, variable, _ := strings.Cut(strings.TrimSuffix(template.URITemplate, "}"), "{")
		c.kinds["ref/resource "+template.URITemplate] = map[string]tool.Completion{variable: template.Complete}
	}
	return c
}

// complete answers completion/complete. It offers nothing if the names cannot be read.
func (c completer) complete(ctx context.Context, request *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	asked := request.Params
	arguments, isReference := c.kinds[asked.Ref.Type+" "+asked.Ref.Name+asked.Ref.URI]
	kind, isArgument := arguments[asked.Argument.Name]
	switch {
	case !isReference:
		return nil, noSuch("unknown reference %q: use one of prompts/list or resources/templates/list", asked.Ref.Name+asked.Ref.URI)
	case !isArgument:
		return nil, noSuch("unknown argument %q: use one that prompts/list or resources/templates/list shows", asked.Argument.Name)
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
		for name, each := range arguments {
			if each == kind && asked.Context != nil {
				return asked.Context.Arguments[name]
			}
		}
		return ""
	}
	var found []string
	offer := func(name, label string) {
		if typed := asked.Argument.Value; (begins(name, typed) || begins(label, typed)) && isVisibleName(name) {
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

func noSuch(format, name string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, name)}
}

func begins(name, typed string) bool {
	return strings.HasPrefix(strings.ToLower(name), strings.ToLower(typed))
}

func readNames(ctx context.Context, runner *toolcall.Runner, call toolcall.Call) (names schemadoc.Names, err error) {
	err = runner.Read(ctx, call, func(ctx context.Context, env tool.Env) error {
		document, err := schemaquery.Ask(ctx, env.RS, schemadoc.Scope{}, nil)
		if err == nil {
			names = document.Names()
		}
		return err
	})
	return names, err
}
