package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const methodReadResource = "resources/read"

// addResources registers the templates. A read runs the tool that its template names, so that both
// ways to the same data have the same bounds (R-RES-1).
func addResources(server *mcp.Server, surface tool.Surface, caller caller) {
	definitions := make(map[string]tool.Definition, len(surface.Tools))
	for _, definition := range surface.Tools {
		definitions[definition.Name] = definition
	}
	for _, template := range surface.Templates {
		definition := definitions[template.Tool]
		advertised := &mcp.ResourceTemplate{
			Name:        template.Name,
			Title:       template.Title,
			URITemplate: template.URITemplate,
			Description: template.Description,
			MIMEType:    template.MIMEType,
		}
		server.AddResourceTemplate(advertised, func(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return readResource(ctx, caller, definition, request, template.MIMEType)
		})
	}
	server.AddReceivingMiddleware(checkResourceURI)
}

// requestedURI carries the URI of a read as the client wrote it.
type requestedURI struct{}

// checkResourceURI stands before the SDK's own look-up. A malformed URI is a typed error that says
// what is wrong with it, where the SDK would only say that nothing matches. A well-formed one goes on
// in the spelling that the templates match: RFC 6570 takes only unreserved characters in {name}.
func checkResourceURI(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		read, ok := request.(*mcp.ReadResourceRequest)
		if method != methodReadResource || !ok || read.Params == nil {
			return next(ctx, method, request)
		}
		parsed, err := recordid.ParseURI(read.Params.URI)
		if err != nil {
			return nil, resourceError(read.Params.URI, tool.Failed(invalidURI(err)))
		}
		params := *read.Params
		params.URI = matchable(parsed)
		ctx = context.WithValue(ctx, requestedURI{}, read.Params.URI)
		return next(ctx, method, &mcp.ReadResourceRequest{Session: read.Session, Params: &params, Extra: read.Extra})
	}
}

func matchable(parsed recordid.URI) string {
	if parsed.Kind == recordid.KindStream {
		return "pdpp://stream/" + strings.ReplaceAll(url.QueryEscape(parsed.Stream), "+", "%20")
	}
	return recordid.FormatURI(parsed)
}

func invalidURI(err error) *tool.Error {
	message := err.Error()
	var malformed *recordid.Error
	if errors.As(err, &malformed) && malformed.Part != "uri" {
		message = "uri: " + message
	}
	return &tool.Error{Code: tool.InvalidResourceURI, Message: message, Param: "uri", Cause: err}
}

func readResource(ctx context.Context, caller caller, definition tool.Definition, request *mcp.ReadResourceRequest, mimeType string) (*mcp.ReadResourceResult, error) {
	shown, ok := ctx.Value(requestedURI{}).(string)
	if !ok {
		shown = request.Params.URI
	}
	parsed, err := recordid.ParseURI(request.Params.URI)
	if err != nil {
		return nil, resourceError(shown, tool.Failed(invalidURI(err)))
	}
	var arguments bytes.Buffer
	encoder := json.NewEncoder(&arguments)
	encoder.SetEscapeHTML(false) // a continuation repeats them as they stand
	if err := encoder.Encode(selectorOf(parsed)); err != nil {
		return nil, resourceError(shown, tool.Failed(err))
	}
	result := caller.call(ctx, definition, request.Extra, bytes.TrimSpace(arguments.Bytes()))
	if result.IsError {
		return nil, resourceError(shown, result)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: shown, MIMEType: mimeType, Text: result.Text},
	}}, nil
}

// selector is the arguments of the tool that answers a read.
type selector struct {
	Stream string `json:"stream,omitempty"`
	ID     string `json:"id,omitempty"`
	recordid.FieldWindow
}

func selectorOf(parsed recordid.URI) selector {
	switch parsed.Kind {
	case recordid.KindRecord:
		return selector{ID: handleOf(parsed.Record)}
	case recordid.KindFieldWindow:
		return selector{ID: handleOf(parsed.Record), FieldWindow: parsed.Window}
	}
	return selector{Stream: parsed.Stream}
}

// handleOf is the self-contained id, or the record's URI when the id's grammar cannot hold it. Tools
// take both (R-HAND-3).
func handleOf(record recordid.Handle) string {
	if record.CanFormat() {
		return record.String()
	}
	return recordid.FormatURI(recordid.URI{Kind: recordid.KindRecord, Record: record})
}

// resourceError carries a failed result as a JSON-RPC error, since a resource read has no other way
// to fail. The structured output stands in data, with the error object in its member error, and beside it the
// URI as the client wrote it (MCP 2026-07-28, SEP-2164).
func resourceError(uri string, result *tool.Result) error {
	var failed struct {
		Error struct {
			Type    string `json:"type"`
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
		HTTPStatus int `json:"http_status"`
	}
	// Failed has written it; if it could not be read, the text still says everything.
	if err := json.Unmarshal(result.Structured, &failed); err != nil || failed.Error.Message == "" {
		failed.Error.Message = result.Text
	}
	code := int64(jsonrpc.CodeInternalError)
	switch {
	case failed.HTTPStatus == http.StatusNotFound, // MCP 2026-07-28 (SEP-2164) has no code of its own for it
		failed.HTTPStatus == http.StatusBadRequest,
		failed.Error.Code == string(tool.InvalidResourceURI):
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: failed.Error.Message, Data: withURI(uri, result.Structured)}
}

// withURI puts a URI before the members of an object, whose bytes stay as they are.
func withURI(uri string, object json.RawMessage) json.RawMessage {
	named, err := json.Marshal(uri)
	members, isObject := bytes.CutPrefix(object, []byte("{"))
	if err != nil || !isObject {
		return object
	}
	separator := ","
	if bytes.Equal(members, []byte("}")) {
		separator = ""
	}
	return slices.Concat([]byte(`{"uri":`), named, []byte(separator), members)
}
