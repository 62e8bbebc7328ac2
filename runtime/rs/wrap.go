package rs

import "context"

// Wrap puts get in the place of a reader's Get. The rest stays the reader's own: whoever it reads for, and its bytes if it is an
// Opener. Opening, if not nil, is told of each request for bytes. Readers that stand before another are made so, since one that
// forgets Open would hide files without an error.
func Wrap(inner Reader, get func(context.Context, Request) (*Response, error), opening func(Request)) Reader {
	outer := wrapped{inner, get}
	if opener, opens := inner.(Opener); opens {
		return &wrappedOpener{outer, opener, opening}
	}
	return &outer
}

type wrapped struct {
	Reader
	get func(context.Context, Request) (*Response, error)
}

func (w *wrapped) Get(ctx context.Context, request Request) (*Response, error) {
	return w.get(ctx, request)
}

// Origins are those of the reader itself.
func (w *wrapped) Origins(request Request) []string { return Origins(w.Reader, request) }

// wrappedOpener is a type of its own, so that no reader claims to read bytes that cannot.
type wrappedOpener struct {
	wrapped
	inner   Opener
	opening func(Request) // may be nil
}

var _ Opener = (*wrappedOpener)(nil)

func (w *wrappedOpener) Open(ctx context.Context, request Request, from Resume) (*Download, error) {
	if w.opening != nil {
		w.opening(request)
	}
	return w.inner.Open(ctx, request, from)
}
