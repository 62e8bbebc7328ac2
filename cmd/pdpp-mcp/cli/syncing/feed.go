package syncing

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
)

// grant is one credential of a provider.
type grant struct {
	reader  rs.Reader
	id      string // empty if the provider does not report it
	account invocation.Accounting
}

// source is one stream of one connection.
type source struct {
	connection, stream string
	grant              *grant
}

// grantedSources returns every stream of every connection that the credential of a provider covers.
func grantedSources(ctx context.Context, provider *invocation.Provider, logger *slog.Logger) (found []source, err error) {
	reader, schema, err := provider.Admitted(ctx, logger)
	if err != nil {
		return nil, err
	}
	document, err := schemaquery.Read(schema)
	if err != nil {
		return nil, err
	}
	granted := &grant{reader, document.GrantID(), provider.Accounting("pdpp-mcp sync", "sync", logger)}
	for connector, stream := range document.Rows() {
		for _, connection := range connector.ConnectionsOf(stream) {
			found = append(found, source{connection.ID, stream.Name, granted})
		}
	}
	return found, nil
}

// change counts what a run changed in a copy.
type change struct {
	Written int  `json:"written"`
	Deleted int  `json:"deleted"`
	IsFull  bool `json:"read_anew"`
}

const firstBookmark = "beginning"

// follow applies all changes since the copy's bookmark to the copy in memory. If the bookmark has expired, it reads
// from the beginning. It returns the new bookmark.
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
		response, err := readPage(ctx, reader, kept, since, cursor)
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

var errNoBookmark = errors.New("the provider sends no next_changes_since for this stream, " +
	"so a copy cannot be kept up to date; read it with call and --all")

// readPage reads a page of the feed. Later pages need only their cursor.
func readPage(ctx context.Context, reader rs.Reader, kept *streamCopy, since, cursor string) (*rs.Response, error) {
	request := rs.Request{
		Path:    rs.RecordsPath(kept.stream),
		Sources: rs.OneSource{Stream: kept.stream, ConnectionID: &kept.connection},
	}
	request.Query.Set(wire.Limit, "100")
	if cursor == "" {
		request.Query.Set(wire.ChangesSince, since)
	} else {
		request.Query.Set(wire.Cursor, cursor)
	}
	request.Query.Set(wire.ConnectionID, kept.connection)
	ctx, cancel := context.WithTimeout(ctx, host.DefaultCallTimeout)
	defer cancel()
	return reader.Get(ctx, request)
}
