package syncing

import (
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

// grant is what is read with one credential.
type grant struct {
	id       string                                                   // if the provider tells it
	provider string                                                   // its URL
	begin    func() (reader rs.Reader, end func(rows int, err error)) // keeps account of what is read until the end
}

// source is a stream of one connection that is granted.
type source struct {
	connection, stream string
	by                 *grant
}

// file is where the copy is, below the directory.
func (s source) file() string {
	return (&streamCopy{Connection: s.connection, Stream: s.stream}).file()
}

// grantedSources returns every stream of every connection that a provider grants with its credential.
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
	by := &grant{id: document.GrantID(), provider: reader.ProviderURL(), begin: func() (rs.Reader, func(int, error)) {
		started, call := time.Now(), account.Begin(caller, "sync")
		return call.Reader(reader), func(rows int, err error) { call.End(rows, tool.AuditCode(err), time.Since(started)) }
	}}
	for connector, stream := range document.Rows() {
		for _, connection := range connector.ConnectionsOf(stream) {
			each := source{connection.ID, stream.Name, by}
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
	Anew             bool // read from the beginning
}

// pageRows is how many records a page of the feed may have.
const pageRows = "100"

// beginningOfFeed starts a feed that has every record.
const beginningOfFeed = "beginning"

// follow reads the changes since the copy's bookmark to their end, applies them in memory, and returns the new bookmark. A feed
// whose place is gone is read from the beginning.
func follow(ctx context.Context, reader rs.Reader, kept *streamCopy, told func(rows int)) (bookmark string, done change, err error) {
	since := kept.state.Bookmark
	if since == "" {
		kept.forget()
		since, done.Anew = beginningOfFeed, true
	}
	cursor, asked := "", map[string]bool{}
	for {
		if err := ctx.Err(); err != nil {
			return "", done, err
		}
		response, err := get(ctx, reader, pageOf(kept, since, cursor))
		refused, isRefused := errors.AsType[*rs.Error](err)
		if isRefused && refused.Status == http.StatusGone && since != beginningOfFeed {
			kept.forget()
			since, cursor, done = beginningOfFeed, "", change{Anew: true}
			clear(asked)
			continue
		}
		if err != nil {
			return "", done, err
		}
		list, err := response.List()
		if err != nil {
			return "", done, err
		}
		for _, row := range list.Rows {
			if err := kept.apply(row, &done); err != nil {
				return "", done, err
			}
		}
		told(len(list.Rows))
		if next := list.Text("next_changes_since"); next != "" {
			bookmark = next
		}
		asked[cursor] = true
		cursor = list.Text("next_cursor")
		if cursor == "" || asked[cursor] { // or leads back
			break
		}
	}
	if bookmark == "" {
		return "", done, errNoBookmark
	}
	return bookmark, done, nil
}

var errNoBookmark = errors.New("the provider gives no next_changes_since for this stream, so a copy cannot be kept up to date; read it with call and --all")

// pageOf is a page of the feed. Pages after the first are named by their cursor alone.
func pageOf(kept *streamCopy, since, cursor string) rs.Request {
	request := rs.Request{
		Path:    rs.JoinPath("v1", "streams", kept.Stream, "records"),
		Sources: rs.OneSource{Stream: kept.Stream, ConnectionID: &kept.Connection},
	}
	request.Query.Set("limit", pageRows)
	if cursor == "" {
		request.Query.Set("changes_since", since)
	} else {
		request.Query.Set("cursor", cursor)
	}
	request.Query.Set("connection_id", kept.Connection)
	return request
}
