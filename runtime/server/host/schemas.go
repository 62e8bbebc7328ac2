package host

import (
	"context"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const maxSchemas = 512 // of all callers

// keptSchemas keeps the schema of each bearer as long as its introspection is kept: an auth.Caller belongs to one
// token.
type keptSchemas struct {
	known *lru.Cache[schemaKey, *schemaquery.Kept]
}

type schemaKey struct {
	caller *auth.Caller
	member int // of a package; otherwise 0
}

func newKeptSchemas() keptSchemas {
	known, _ := lru.New[schemaKey, *schemaquery.Kept](maxSchemas) // fails only for a size that is not positive
	return keptSchemas{known}
}

// reader returns a reader that keeps the schema of its bearer for reads within schemaquery.Recent.
func (s keptSchemas) reader(inner rs.Reader, caller *auth.Caller, member int) rs.Reader {
	fresh := new(schemaquery.Kept)
	kept, isKnown, _ := s.known.PeekOrAdd(schemaKey{caller, member}, fresh)
	if !isKnown {
		kept = fresh
	}
	get := func(ctx context.Context, request rs.Request) (*rs.Response, error) {
		return kept.Get(ctx, request, inner.Get)
	}
	return tool.Wrap(inner, get, nil, nil)
}
