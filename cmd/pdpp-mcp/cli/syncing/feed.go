package syncing

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// grant is one credential of a provider.
type grant struct {
	id       string // empty if the provider does not report it
	provider string // URL
	// begin returns a reader, and a function that logs what was read.
	begin func() (reader rs.Reader, end func(rows int, err error))
}

type source struct {
	connection, stream string
	grant              *grant
}

func (s source) file() string {
	return (&streamCopy{Connection: s.connection, Stream: s.stream}).file()
}

// grantedSources returns every stream of every connection that the credential of a provider covers.
func grantedSources(ctx context.Context, provider *invocation.Provider, logger *slog.Logger) (found []source, err error) {
	reader, err := provider.Admitted(ctx, logger)
	if err != nil {
		return nil, err
	}
	response, err := get(ctx, reader, schemadoc.Scope{}.Request(false))
	if err != nil {
		return nil, err
	}
	document, err := schemadoc.Read(response)
	if err != nil {
		return nil, err
	}
	account, caller := provider.Account(logger)
	caller.ClientName = "pdpp-mcp sync"
	granted := &grant{id: document.GrantID(), provider: reader.ProviderURL(), begin: func() (rs.Reader, func(int, error)) {
		started, call := time.Now(), account.Begin(caller, "sync")
		return call.Reader(reader), func(rows int, err error) { call.End(rows, tool.AuditCode(err), time.Since(started)) }
	}}
	for connector, stream := range document.Rows() {
		for _, connection := range connector.ConnectionsOf(stream) {
			each := source{connection.ID, stream.Name, granted}
			if !slices.Contains(found, each) {
				found = append(found, each)
			}
		}
	}
	return found, nil
}

// get reads within the time limit of a server's calls.
func get(ctx context.Context, reader rs.Reader, request rs.Request) (*rs.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, host.DefaultCallTimeout)
	defer cancel()
	return reader.Get(ctx, request)
}

// change counts what a run changed in a copy.
type change struct {
	Written, Deleted int
	IsFull           bool // read from the beginning
}

// firstBookmark is the bookmark before the first change.
const firstBookmark = "beginning"

// follow applies all changes since the copy's bookmark to the copy in memory. If the bookmark has expired, it reads from the beginning. It
// returns the new bookmark.
func follow(ctx context.Context, reader rs.Reader, kept *streamCopy, onPage func(rows int)) (bookmark string, counts change, err error) {
	since := kept.state.Bookmark
	if since == "" {
		kept.clear()
		since, counts.IsFull = firstBookmark, true
	}
	cursor, seen := "", map[string]bool{}
	for {
		if err := ctx.Err(); err != nil {
			return "", counts, err
		}
		response, err := get(ctx, reader, pageRequest(kept, since, cursor))
		refused, isRefused := errors.AsType[*rs.Error](err)
		if isRefused && refused.Status == http.StatusGone && since != firstBookmark {
			kept.clear()
			since, cursor, counts = firstBookmark, "", change{IsFull: true}
			clear(seen)
			continue
		}
		if err != nil {
			return "", counts, err
		}
		list, err := response.List()
		if err != nil {
			return "", counts, err
		}
		for _, row := range list.Rows {
			if err := kept.apply(row, &counts); err != nil {
				return "", counts, err
			}
		}
		onPage(len(list.Rows))
		bookmark = cmp.Or(list.Text("next_changes_since"), bookmark)
		seen[cursor] = true
		cursor = list.Text("next_cursor")
		if cursor == "" || seen[cursor] {
			break
		}
	}
	if bookmark == "" {
		return "", counts, errNoBookmark
	}
	return bookmark, counts, nil
}

var errNoBookmark = errors.New("the provider gives no next_changes_since for this stream, so a copy cannot be kept up to date; read it with call and --all")

// pageRequest returns the request for a page of the feed. Later pages need only their cursor.
func pageRequest(kept *streamCopy, since, cursor string) rs.Request {
	request := rs.Request{
		Path:    rs.JoinPath("v1", "streams", kept.Stream, "records"),
		Sources: rs.OneSource{Stream: kept.Stream, ConnectionID: &kept.Connection},
	}
	request.Query.Set("limit", "100")
	if cursor == "" {
		request.Query.Set("changes_since", since)
	} else {
		request.Query.Set("cursor", cursor)
	}
	request.Query.Set("connection_id", kept.Connection)
	return request
}
