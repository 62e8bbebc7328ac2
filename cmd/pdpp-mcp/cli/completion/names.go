package completion

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// namesOfGrant returns the names of the grant of the provider's credential, from the cache if they were read within the
// last minute. It caches nothing for a token whose grant is unknown.
func namesOfGrant(ctx context.Context, provider *invocation.Provider, now time.Time) (schemadoc.Names, error) {
	silent := slog.New(slog.DiscardHandler)
	reader, err := provider.Reader(ctx, silent)
	if err != nil {
		return nil, err
	}
	kept, err := keptNamesOf(provider, silent)
	if err != nil {
		return nil, err
	}
	if names, ok := kept.read(now); ok {
		return names, nil
	}
	document, err := readSchema(ctx, reader, schemadoc.Scope{})
	if err != nil {
		return nil, err
	}
	names := document.Names()
	kept.write(names, now)
	return names, nil
}

// keptNamesOf returns the cache of names, or nil when the token was passed for this run or its grant is unknown.
func keptNamesOf(provider *invocation.Provider, logger *slog.Logger) (*keptNames, error) {
	if source, _ := provider.Passed(); source != "" {
		return nil, nil
	}
	cache, entry, err := provider.Stored(logger)
	if err != nil || entry.Credential.GrantID == "" {
		return nil, err
	}
	return newKeptNames(cache.Root, entry.ProviderURL, entry.Credential.GrantID), nil
}

// errNotScoped refuses a token that is not a client's.
var errNotScoped = errors.New("the token is not one of a client")

// fieldsOf returns a stream's fields whose names are safe to offer. They are not cached.
func fieldsOf(ctx context.Context, provider *invocation.Provider, stream, connectionID string) ([]schemadoc.Field, error) {
	reader, err := provider.Reader(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	scope := schemadoc.Scope{Stream: &stream}
	if connectionID != "" {
		scope.ConnectionID = &connectionID
	}
	document, err := readSchema(ctx, reader, scope)
	if err != nil {
		return nil, err
	}
	document.Keep(scope)
	var fields []schemadoc.Field
	for _, stream := range document.Rows() {
		for _, field := range schemadoc.Fields(stream.Object()) {
			if completable(field.Name) {
				fields = append(fields, field)
			}
		}
	}
	return fields, nil
}

// readSchema reads a schema. It fails for a token that is not a client's.
func readSchema(ctx context.Context, reader rs.Reader, scope schemadoc.Scope) (*schemadoc.Document, error) {
	response, err := reader.Get(ctx, scope.Request(false))
	if err != nil {
		return nil, err
	}
	if bearer, err := rs.SchemaBearer(response.Body()); err != nil || !bearer.IsClient() {
		return nil, errNotScoped
	}
	return schemadoc.Read(response)
}

// completable reports whether a name is safe as one shell word. The provider chooses the names, and they end up on a
// command line, so those that a shell would expand, split or run, or that look like a flag, are not offered.
func completable(name string) bool {
	return name != "" && name[0] != '-' && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.:/@+", r)
	})
}
