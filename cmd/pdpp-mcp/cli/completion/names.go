package completion

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// grantedNames returns the names of the streams and connections that a provider's credential covers.
func grantedNames(ctx context.Context, provider *invocation.Provider) (schemadoc.Names, error) {
	document, err := readSchema(ctx, provider, schemadoc.Scope{})
	if err != nil {
		return nil, err
	}
	return document.Names(), nil
}

// fieldsOf returns the completable names of a stream's fields.
func fieldsOf(ctx context.Context, provider *invocation.Provider, stream, connectionID string) ([]string, error) {
	scope := schemadoc.Scope{Stream: &stream}
	if connectionID != "" {
		scope.ConnectionID = &connectionID
	}
	document, err := readSchema(ctx, provider, scope)
	if err != nil {
		return nil, err
	}
	document.Keep(scope)
	var names []string
	for _, stream := range document.Rows() {
		for _, field := range stream.Fields() {
			if isCompletable(field.Name) {
				names = append(names, field.Name)
			}
		}
	}
	return names, nil
}

var errNotClientToken = errors.New("the token is not a client's")

// readSchema reads a schema. It returns an error if the token is not a client's.
func readSchema(ctx context.Context, provider *invocation.Provider, scope schemadoc.Scope) (*schemadoc.Document, error) {
	reader, err := provider.Reader(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	response, err := reader.Get(ctx, scope.Request(false))
	if err != nil {
		return nil, err
	}
	if bearer, err := rs.SchemaBearer(response.Body()); err != nil || !bearer.IsClient() {
		return nil, errNotClientToken
	}
	return schemadoc.Read(response)
}

// isCompletable reports whether a name, which providers choose, is safe on a command line: a shell does not expand, split or run it.
func isCompletable(name string) bool {
	return name != "" && name[0] != '-' && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.:/@+", r)
	})
}
