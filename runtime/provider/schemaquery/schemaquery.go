// Package schemaquery asks a resource server for its schema document.
package schemaquery

import (
	"context"
	"errors"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
)

const compactView = "compact"

// Request returns the request for the compact or the full view. A server may refuse each parameter;
// schemadoc.Document.Keep then applies the scope.
func Request(scope schemadoc.Scope, isFull bool) rs.Request {
	view := rs.Parameter{Name: wire.View, Value: compactView}
	if isFull {
		view = rs.Parameter{Name: wire.Detail, Value: "full"}
	}
	request := rs.Request{
		Path:     rs.JoinPath("v1", wire.Schema),
		Sources:  rs.SchemaOfSources{Stream: scope.Stream, ConnectionID: scope.ConnectionID},
		Optional: []string{view.Name, wire.Stream, wire.ConnectionID},
	}
	request.Query.Set(view.Name, view.Value)
	request.Query.String(wire.Stream, scope.Stream)
	request.Query.String(wire.ConnectionID, scope.ConnectionID)
	return request
}

// Merger is a reader of several grants that merges their schemas (R-PKG-7).
type Merger interface {
	// Schema answers a request for the schema of every grant that it concerns.
	Schema(ctx context.Context, request rs.Request) (*answer.Schema, error)
}

// Get reads the schema of a request, of several grants if the reader is a Merger and the request names no connection.
// Its errors are those of the reader, or an *rs.Failure.
func Get(ctx context.Context, reader rs.Reader, request rs.Request) (*answer.Schema, error) {
	wanted, isOfSources := request.Sources.(rs.SchemaOfSources)
	if merger, merges := reader.(Merger); merges && isOfSources && wanted.ConnectionID == nil {
		return merger.Schema(ctx, request)
	}
	response, err := reader.Get(ctx, request)
	if err != nil {
		return nil, err
	}
	document, err := Read(response)
	if err != nil {
		return nil, err
	}
	return &answer.Schema{
		Origin:   answer.Origin{URL: response.URL, RequestID: response.RequestID, Status: response.Status},
		GrantIDs: response.GrantIDs, Document: document,
	}, nil
}

// Ask reads a scope in the compact view. If sources is nil, a reader of several grants merges the schemas of all of
// them.
func Ask(
	ctx context.Context, reader rs.Reader, scope schemadoc.Scope, sources rs.Sources,
) (*schemadoc.Document, error) {
	request := Request(scope, false)
	if sources != nil {
		request.Sources = sources
	}
	found, err := Get(ctx, reader, request)
	if err != nil {
		return nil, err
	}
	found.Document.Keep(scope)
	return found.Document, nil
}

// Admit reads the compact schema and the kind of the reader's bearer, which must be a client's or unstated (R-STDIO-3).
// The error for any other kind is a *rs.KindError.
func Admit(ctx context.Context, reader rs.Reader) (*rs.Response, rs.Bearer, error) {
	schema, err := reader.Get(ctx, Request(schemadoc.Scope{}, false))
	if refused, ok := errors.AsType[*rs.Error](err); ok && refused.MeansPackageToken() {
		return nil, rs.Bearer{}, &rs.KindError{Kind: rs.KindPackage}
	}
	if err != nil {
		return nil, rs.Bearer{}, err
	}
	bearer, err := rs.SchemaBearer(schema.Body())
	if err != nil || !bearer.IsClient() {
		return nil, rs.Bearer{}, &rs.KindError{Kind: bearer.Kind, Cause: err}
	}
	return schema, bearer, nil
}

// Read parses the document of a response. Its error is an *rs.Failure.
func Read(response *rs.Response) (*schemadoc.Document, error) {
	document, err := schemadoc.Parse(response.Compact())
	if unusable, ok := errors.AsType[*schemadoc.Unusable](err); ok {
		return nil, response.Unusable(unusable.Message, unusable.NextStep)
	}
	return document, err
}
