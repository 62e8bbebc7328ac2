package rs

import "context"

// Wrap returns a reader with another Get. The rest is the inner reader's, including Open if it is an Opener. Opening, if not nil,
// receives each request for bytes. Use it for every reader around another one: one that forgets Open would hide files.
func Wrap(inner Reader, get func(context.Context, Request) (*Response, error), opening func(Request)) Reader {
	if opener, opens := inner.(Opener); opens {
		return &wrappedOpener{wrapped{inner, get}, opener, opening}
	}
	return &wrapped{inner, get}
}

type wrapped struct {
	Reader
	get func(context.Context, Request) (*Response, error)
}

func (w *wrapped) Get(ctx context.Context, request Request) (*Response, error) {
	return w.get(ctx, request)
}

// Origins returns those of the inner reader.
func (w *wrapped) Origins(request Request) []string { return Origins(w.Reader, request) }

// wrappedOpener is a separate type because not every reader can read bytes.
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
