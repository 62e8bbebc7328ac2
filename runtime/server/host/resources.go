package host

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const methodReadResource = "resources/read"

// addResources registers the templates. A read runs the tool of its template, with the same limits (R-RES-1).
func addResources(server *mcp.Server, surface tool.Surface, runner *toolcall.Runner) {
	for _, template := range surface.Templates {
		server.AddResourceTemplate(&mcp.ResourceTemplate{
			Name: template.Name, Title: template.Title, URITemplate: template.URITemplate,
			Description: template.Description, MIMEType: template.MIMEType,
		}, func(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return readResource(ctx, runner, template, request)
		})
		if template.Complete == tool.CompleteStream {
			server.AddReceivingMiddleware(streamList{template, runner, surface.Skill}.answer)
		}
	}
	server.AddReceivingMiddleware(checkResourceURI)
}

// sdkCall returns the call of a request that the SDK has read. The definition may be zero.
func sdkCall(method string, definition tool.Definition, request interface{ ClientInfo() *mcp.Implementation }) toolcall.Call {
	call := toolcall.Call{Method: method, Definition: definition}
	if info := request.ClientInfo(); info != nil {
		call.Client = info.Name
	}
	return call
}

type resourceTarget struct {
	written string // the URI as the client wrote it
	uri     recordid.URI
}

type resourceTargetKey struct{}

// checkResourceURI checks the URI of a read, because the SDK only reports that no template matches. The SDK gets a
// short URI of the same kind, because its templates match few characters (RFC 6570).
func checkResourceURI(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		read, ok := request.(*mcp.ReadResourceRequest)
		if method != methodReadResource || !ok || read.Params == nil || strings.HasPrefix(read.Params.URI, skillScheme) {
			return next(ctx, method, request)
		}
		target := resourceTarget{written: read.Params.URI}
		var err error
		if target.uri, err = recordid.ParseURI(target.written); err != nil {
			return nil, requestError(tool.Failed(invalidURI(err)), target.written)
		}
		params := *read.Params
		params.URI = "pdpp://" + string(target.uri.Kind) + "/-"
		ctx = context.WithValue(ctx, resourceTargetKey{}, target)
		return next(ctx, method, &mcp.ReadResourceRequest{Session: read.Session, Params: &params, Extra: read.Extra})
	}
}

func invalidURI(err error) *tool.Error {
	message := err.Error()
	if malformed, ok := errors.AsType[*recordid.Error](err); ok && malformed.Part != "uri" {
		message = "uri: " + message
	}
	return &tool.Error{Code: tool.InvalidResourceURI, Message: message, Param: "uri", Cause: err}
}

func readResource(
	ctx context.Context, runner *toolcall.Runner, template tool.Template, request *mcp.ReadResourceRequest,
) (*mcp.ReadResourceResult, error) {
	target, _ := ctx.Value(resourceTargetKey{}).(resourceTarget)
	read := sdkCall(methodReadResource, runner.Tool(template.Tool), request)
	read.Arguments = argumentsFor(target.uri)
	if template.IsFile {
		read.Definition.Ask = fileOf(read.Definition.Ask)
	}
	result, page := runner.RunWithSignIn(ctx, read, func() toolcall.Client { return toolcall.ClientOf(request) })
	if page != nil {
		asking := &mcp.ReadResourceResult{}
		asking.InputRequests, asking.RequestState = toolcall.InputRequests(page)
		return asking, nil
	}
	if result.IsError {
		return nil, requestError(result, target.written)
	}
	content := &mcp.ResourceContents{URI: target.written, MIMEType: template.MIMEType, Text: result.Text}
	if file := result.File; file != nil && template.IsFile {
		content = &mcp.ResourceContents{URI: target.written, MIMEType: file.MediaType, Blob: file.Data}
	}
	if origin := result.Meta[toolcall.OriginMeta]; origin != nil {
		content.Meta = mcp.Meta{toolcall.OriginMeta: origin}
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{content}}, nil
}

// fileOf returns an Ask for the bytes of a file. It refuses a field that refers to no file.
func fileOf(ask tool.Ask) tool.Ask {
	return func(ctx context.Context, env tool.Env, arguments json.RawMessage) (*tool.Answer, error) {
		env.WantsFile = true
		result, err := ask.Run(ctx, env, arguments)
		if err == nil && result.File == nil {
			return nil, &tool.Error{
				Code: tool.InvalidResourceURI, Param: "uri",
				Message: "uri: the field refers to no file; read it as pdpp://field-window/{handle}",
			}
		}
		return tool.Rendered(result, err)
	}
}

// argumentsFor returns the arguments of the tool for a URI. A record has its id, or its URI if needed (R-HAND-3).
func argumentsFor(uri recordid.URI) json.RawMessage {
	arguments := struct {
		Stream string `json:"stream,omitempty"`
		ID     string `json:"id,omitempty"`
		recordid.FieldWindow
	}{Stream: uri.Stream, FieldWindow: uri.Window}
	if uri.Kind != recordid.KindStream {
		arguments.ID = uri.Record.ID()
	}
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)  // continuations repeat the arguments unchanged
	_ = encoder.Encode(arguments) // cannot fail: they are strings and numbers
	return bytes.TrimSpace(encoded.Bytes())
}

// requestError returns a failed result as a JSON-RPC error. For a resource, the data has the URI as the client wrote it
// (MCP 2026-07-28, SEP-2164).
func requestError(result *tool.Result, uri string) error {
	members, _ := rawjson.ParseObject(result.Structured)
	failed, _ := rawjson.ParseObject(members.Get("error"))
	status, _ := members.Int("http_status")
	code := int64(jsonrpc.CodeInternalError)
	// MCP 2026-07-28 (SEP-2164) has no separate code for a missing resource.
	if status == http.StatusNotFound || status == http.StatusBadRequest || slices.Contains(invalidCodes, tool.Code(failed.Text("code"))) {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{
		Code: code, Message: rawjson.VisibleText(cmp.Or(failed.Text("message"), result.Text)),
		Data: append(rawjson.Texts("uri", uri), members...).Encode(),
	}
}

// invalidCodes are the adapter's codes for a selector that the URI holds.
var invalidCodes = []tool.Code{
	tool.InvalidResourceURI, tool.InvalidArguments, tool.UnknownArgument, tool.InvalidID, tool.InvalidFieldWindowSelector,
}

const (
	methodListResources = "resources/list"

	maxPage        = 100 // resources
	maxDescription = 200 // characters
)

// streamList answers resources/list with the skill and the streams of the caller's grant (R-MCP-1). The SDK's own list
// is the same for all callers.
type streamList struct {
	template tool.Template // of one stream
	runner   *toolcall.Runner
	skill    tool.Skill // listed first
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
			if err != nil || !isVisibleName(string(name)) {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid cursor: repeat the request without it"}
			}
			after = string(name)
		}
		names, err := readNames(ctx, l.runner, sdkCall(method, tool.Definition{}, asked))
		if err != nil {
			return nil, requestError(tool.Failed(err), "")
		}
		return l.page(names, after), nil
	}
}

// page returns the resources after a name, in alphabetical order. A cursor is the last name of its page, so that it
// stays valid when the grant changes.
func (l streamList) page(names schemadoc.Names, after string) *mcp.ListResourcesResult {
	result := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}, Cacheable: ofOneCaller}
	if l.skill.Name != "" && after == "" {
		result.Resources = append(result.Resources, skillResource(l.skill))
	}
	for _, name := range names.Streams("") {
		uri := recordid.FormatURI(recordid.URI{Kind: recordid.KindStream, Stream: name})
		if _, err := recordid.ParseURI(uri); err != nil || name <= after || !isVisibleName(name) {
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

// isVisibleName reports whether a client can show a name as it is and pass it to a prompt (R-TRUST-1).
func isVisibleName(name string) bool {
	return tool.IsPromptValue(name) && !strings.ContainsFunc(name, rawjson.IsUnseen)
}

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
	text = slices.DeleteFunc(text, func(r rune) bool { return rawjson.IsUnseen(r) })
	if len(text) > maxDescription {
		text = append(text[:maxDescription-1], '…')
	}
	return string(text)
}
