package tool

import (
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Searcher is a reader that merges the hits of several sources.
type Searcher interface {
	rs.Reader
	rs.Opener

	// Search answers a search of several sources. Its errors are those of Get.
	Search(ctx context.Context, request rs.Request) (FoundHits, error)
}

// FoundHits are the hits that were read for a page of a search.
type FoundHits interface {
	// Hits returns the first hits, up to a limit. It sends no request.
	Hits(ctx context.Context, limit int) *answer.Hits
}

// Wrap returns a reader with another Get. The rest is the inner reader's, including Open if it is an Opener, and Search
// if it is a Searcher. Opening, if not nil, receives each request for bytes, and searched each answer of Search. Use it
// for every reader that wraps another one, because a wrapper without Open hides files.
func Wrap(
	inner rs.Reader, get func(context.Context, rs.Request) (*rs.Response, error), opening func(rs.Request), searched func(rs.Request, *answer.Hits),
) rs.Reader {
	opener, opens := inner.(rs.Opener)
	if !opens {
		return &wrapped{inner, get}
	}
	outer := wrappedOpener{wrapped{inner, get}, opener, opening}
	if searcher, searches := inner.(Searcher); searches {
		return &wrappedSearcher{outer, searcher, searched}
	}
	return &outer
}

type wrapped struct {
	rs.Reader
	get func(context.Context, rs.Request) (*rs.Response, error)
}

func (w *wrapped) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	return w.get(ctx, request)
}

// Origins returns those of the inner reader.
func (w *wrapped) Origins(request rs.Request) []string { return rs.Origins(w.Reader, request) }

// wrappedOpener is a separate type because not every reader can read bytes.
type wrappedOpener struct {
	wrapped
	inner   rs.Opener
	opening func(rs.Request) // may be nil
}

var _ rs.Opener = (*wrappedOpener)(nil)

func (w *wrappedOpener) Open(ctx context.Context, request rs.Request, from rs.Resume) (*rs.Download, error) {
	if w.opening != nil {
		w.opening(request)
	}
	return w.inner.Open(ctx, request, from)
}

type wrappedSearcher struct {
	wrappedOpener
	searcher Searcher
	searched func(rs.Request, *answer.Hits) // may be nil
}

func (w *wrappedSearcher) Search(ctx context.Context, request rs.Request) (FoundHits, error) {
	found, err := w.searcher.Search(ctx, request)
	if err != nil || w.searched == nil {
		return found, err
	}
	return observedHits{found, request, w.searched}, nil
}

type observedHits struct {
	FoundHits
	request  rs.Request
	searched func(rs.Request, *answer.Hits)
}

func (o observedHits) Hits(ctx context.Context, limit int) *answer.Hits {
	hits := o.FoundHits.Hits(ctx, limit)
	o.searched(o.request, hits)
	return hits
}
