package audit

import (
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// opener is a reader of a call whose inner one reads bytes too. It is a type of its own, so that no reader claims to that cannot.
type opener struct {
	*reader
	inner rs.Opener
}

var _ rs.Opener = (*opener)(nil)

// reading is the reader whose answers a call takes note of.
func (c *Call) reading(inner rs.Reader) rs.Reader {
	noting := &reader{Reader: inner, call: c}
	if opens, ok := inner.(rs.Opener); ok {
		return &opener{reader: noting, inner: opens}
	}
	return noting
}

// Open begins to read bytes and takes note that it did: what record they are of, the read of that record has told.
func (o *opener) Open(ctx context.Context, request rs.Request, from rs.Resume) (*rs.Download, error) {
	download, err := o.inner.Open(ctx, request, from)
	o.call.note(request, nil)
	return download, err
}
