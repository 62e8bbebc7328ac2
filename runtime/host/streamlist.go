package host

import (
	"cmp"
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/host/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	methodListResources = "resources/list"

	maxPage        = 100 // resources
	maxDescription = 200 // characters
)

// streamList answers resources/list with the streams of the caller's grant (R-MCP-1). The SDK's own list is the same for all callers.
type streamList struct {
	template tool.Template // of one stream
	runner   *toolcall.Runner
}

func (l streamList) answer(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		asked, ok := request.(*mcp.ListResourcesRequest)
		if method != methodListResources || !ok {
			return next(ctx, method, request)
		}
		after := ""
		if asked.Params != nil && asked.Params.Cursor != "" {
			name, err := base64.RawURLEncoding.DecodeString(asked.Params.Cursor)
			if err != nil || len(name) == 0 {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid cursor: repeat the request without it"}
			}
			after = string(name)
		}
		names, err := readNames(ctx, l.runner, sdkCall(method, tool.Definition{}, asked))
		if err != nil {
			return nil, requestError(tool.Failed(err))
		}
		return l.page(names, after), nil
	}
}

// page returns the resources after a name, in alphabetical order. A cursor is the last name of its page, so that it stays valid when the
// grant changes.
func (l streamList) page(names schemadoc.Names, after string) *mcp.ListResourcesResult {
	result := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}, Cacheable: ofOneCaller}
	for _, name := range names.Streams("") {
		uri := recordid.FormatURI(recordid.URI{Kind: recordid.KindStream, Stream: name})
		if _, err := recordid.ParseURI(uri); err != nil || name <= after || !tool.IsPromptValue(name) {
			continue
		}
		if len(result.Resources) == maxPage {
			last := result.Resources[maxPage-1].Name
			result.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(last))
			break
		}
		result.Resources = append(result.Resources, &mcp.Resource{
			Name: name, URI: uri, MIMEType: l.template.MIMEType, Description: describeSources(names, name),
		})
	}
	return result
}

// describeSources returns the connectors and connections of a stream.
func describeSources(names schemadoc.Names, stream string) string {
	var sources []string
	for _, each := range names {
		if each.Name != stream {
			continue
		}
		labels := make([]string, 0, len(each.Connections))
		for _, connection := range each.Connections {
			labels = append(labels, cmp.Or(connection.Label, connection.ID))
		}
		sources = append(sources, strings.Trim(each.Connector+": "+strings.Join(labels, ", "), ": "))
	}
	text := []rune(strings.Join(strings.Fields(strings.Join(slices.Compact(sources), "; ")), " "))
	text = slices.DeleteFunc(text, func(r rune) bool { return !tool.IsPromptValue(string(r)) && r != ' ' })
	if len(text) > maxDescription {
		text = append(text[:maxDescription-1], '…')
	}
	return string(text)
}
