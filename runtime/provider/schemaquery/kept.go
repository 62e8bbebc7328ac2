package schemaquery

import (
	"context"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
)

const (
	keptTime = time.Minute
	maxKept  = 32 << 10 // bytes
)

type recentKey struct{}

// Recent returns a context for reads that describe an answer. They may get a schema that is up to a minute old.
func Recent(ctx context.Context) context.Context { return context.WithValue(ctx, recentKey{}, true) }

// Kept keeps the compact schema of one bearer. The zero value has none. It is safe for concurrent use.
type Kept struct {
	mu      sync.Mutex
	schema  *rs.Response // nil: none
	readAt  time.Time
	isLarge bool // the schema is too large to be kept
}

// Keep keeps a compact schema that was read without a scope.
func (k *Kept) Keep(schema *rs.Response) {
	own := *schema
	k.mu.Lock()
	defer k.mu.Unlock()
	k.schema, k.readAt, k.isLarge = &own, time.Now(), len(own.Body()) > maxKept
	if k.isLarge {
		k.schema = nil
	}
}

// Get sends a request with read, and keeps a compact schema that it returns whole. Within Recent, it answers a request
// for any part of the compact schema with the whole one, which it reads at most once a minute.
func (k *Kept) Get(
	ctx context.Context, request rs.Request, read func(context.Context, rs.Request) (*rs.Response, error),
) (*rs.Response, error) {
	view, _ := request.Query.Get(wire.View)
	isWhole, isRecent := len(request.Query.Parameters()) == 1, ctx.Value(recentKey{}) != nil
	if view != compactView || !isWhole && !isRecent {
		return read(ctx, request)
	}
	k.mu.Lock()
	schema, isLarge, isFresh := k.schema, k.isLarge, time.Since(k.readAt) < keptTime
	k.mu.Unlock()
	switch {
	case isRecent && isLarge:
		return read(ctx, request)
	case isRecent && schema != nil && isFresh:
		known := *schema
		known.IsKept = true
		return &known, nil
	}
	if !isWhole {
		request = Request(schemadoc.Scope{}, false)
	}
	response, err := read(ctx, request)
	if err == nil {
		k.Keep(response)
	}
	return response, err
}
