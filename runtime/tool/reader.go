package tool

import (
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Merger is a reader of several grants that merges what they answer.
type Merger interface {
	rs.Reader
	rs.Opener

	// Search answers a search of several sources. Its errors are those of Get.
	Search(ctx context.Context, request rs.Request) (FoundHits, error)

	// Schema answers a request for the schema of all sources that it concerns. Its errors are those of Get.
	Schema(ctx context.Context, request rs.Request) (*answer.Schema, error)

	// Streams lists the streams of all sources. Its errors are those of Get.
	Streams(ctx context.Context, request rs.Request) (*answer.Streams, error)

	// Absences returns warnings about sources that could have contributed to the answer to a request for one source, and
	// cannot be read. It sends no request.
	Absences(ctx context.Context, request rs.Request) []rawjson.Value
}

// Absences returns those of a Merger, and nil for a reader of one grant.
func Absences(ctx context.Context, reader rs.Reader, request rs.Request) []rawjson.Value {
	if merger, merges := reader.(Merger); merges {
		return merger.Absences(ctx, request)
	}
	return nil
}

// ListStreams reads a list of streams, of several grants if the reader is a Merger and the request names no connection.
// Its errors are those of the reader, or an *rs.Failure.
func ListStreams(ctx context.Context, reader rs.Reader, request rs.Request) (*answer.Streams, error) {
	wanted, _ := request.Sources.(rs.StreamsOfSources)
	if merger, merges := reader.(Merger); merges && wanted.ConnectionID == nil {
		return merger.Streams(ctx, request)
	}
	response, err := reader.Get(ctx, request)
	if err != nil {
		return nil, err
	}
	rows, err := response.Rows()
	if err != nil {
		return nil, err
	}
	found := &answer.Streams{
		Origin:   answer.Origin{URL: response.URL, RequestID: response.RequestID, Status: response.Status},
		GrantIDs: response.GrantIDs, Sent: response.Body(),
	}
	for _, row := range rows {
		found.Rows = append(found.Rows, row.Members)
	}
	return found, nil
}

// FoundHits are the hits that were read for a page of a search.
type FoundHits interface {
	// Hits returns the first hits, up to a limit. It sends no request.
	Hits(ctx context.Context, limit int) *answer.Hits
}

// Wrap returns a reader with another Get. The rest is the inner reader's, including Open if it is an Opener, and the
// methods of a Merger if it is one. Opening, if not nil, receives each request for bytes, and merged each merged
// answer, a nil pointer for a failed one. Use it for every reader that wraps another one, because a wrapper without
// Open hides files.
func Wrap(
	inner rs.Reader, get func(context.Context, rs.Request) (*rs.Response, error),
	opening func(rs.Request), merged func(rs.Request, answer.Answer),
) rs.Reader {
	opener, opens := inner.(rs.Opener)
	if !opens {
		return &wrapped{inner, get}
	}
	outer := wrappedOpener{wrapped{inner, get}, opener, opening}
	if merger, merges := inner.(Merger); merges {
		return &wrappedMerger{outer, merger, merged}
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

type wrappedMerger struct {
	wrappedOpener
	merger Merger
	merged func(rs.Request, answer.Answer) // may be nil
}

func (w *wrappedMerger) Search(ctx context.Context, request rs.Request) (FoundHits, error) {
	found, err := w.merger.Search(ctx, request)
	if err != nil || w.merged == nil {
		return found, err
	}
	return observedHits{found, request, w.merged}, nil
}

func (w *wrappedMerger) Schema(ctx context.Context, request rs.Request) (*answer.Schema, error) {
	found, err := w.merger.Schema(ctx, request)
	if w.merged != nil {
		w.merged(request, found)
	}
	return found, err
}

func (w *wrappedMerger) Streams(ctx context.Context, request rs.Request) (*answer.Streams, error) {
	found, err := w.merger.Streams(ctx, request)
	if w.merged != nil {
		w.merged(request, found)
	}
	return found, err
}

func (w *wrappedMerger) Absences(ctx context.Context, request rs.Request) []rawjson.Value {
	return w.merger.Absences(ctx, request)
}

type observedHits struct {
	FoundHits
	request rs.Request
	merged  func(rs.Request, answer.Answer)
}

func (o observedHits) Hits(ctx context.Context, limit int) *answer.Hits {
	hits := o.FoundHits.Hits(ctx, limit)
	o.merged(o.request, hits)
	return hits
}
