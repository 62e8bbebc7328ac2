package resource

import (
	"net/http"
)

// startFeed answers changes_since: the first page of changes after a position in the feed.
func (s *server) startFeed(c *call, l listing, since string) (any, error) {
	if len(l.sources) > 1 {
		return nil, acrossConnections("changes_since", l.sources)
	}
	var after int64
	if since != "beginning" {
		cursor, err := decodeFeedCursor(since)
		if err != nil {
			return nil, err
		}
		after = cursor.Version
	}
	source := l.sources[0]
	versions, err := s.store.Versions(c.Context(), source.connection.ID, source.stream.Name)
	if err != nil {
		return nil, err
	}
	return s.readFeed(c, l, after, versions.Current)
}

// continueFeed answers the cursor of an earlier page. The feed ends where it ended for the first page, so
// that next_changes_since is the same on all pages.
func (s *server) continueFeed(c *call, l listing, cursor pageCursor) (any, error) {
	return s.readFeed(c, l, cursor.After, cursor.Through)
}

func (s *server) readFeed(c *call, l listing, after, through int64) (any, error) {
	source := l.sources[0]
	versions, err := s.store.Versions(c.Context(), source.connection.ID, source.stream.Name)
	if err != nil {
		return nil, err
	}
	if after < versions.Floor {
		return nil, &problem{
			status: http.StatusGone, code: "cursor_expired",
			message: "changes_since cursor is too old; full re-sync required",
		}
	}
	entries, more, err := s.store.Changes(c.Context(), l.selection(source), after, through, l.limit)
	if err != nil {
		return nil, err
	}
	documents, err := s.expandedDocuments(c, l, source, entries)
	if err != nil {
		return nil, err
	}
	answer := list[recordDocument]{Object: "list", URL: c.URL.EscapedPath(), Data: documents, HasMore: more}
	answer.Links.Self = c.self()
	if answer.NextChangesSince, err = encodeCursor(feedCursor{Kind: "changes_since", Version: through}); err != nil {
		return nil, err
	}
	if more {
		cursor, err := encodeCursor(pageCursor{
			Kind: "page", Session: changesSession,
			After: entries[len(entries)-1].Version, Through: through,
		})
		if err != nil {
			return nil, err
		}
		answer.NextCursor, answer.Links.Next = cursor, c.nextPage(cursor)
	}
	answer.Meta, err = s.listMeta(c, l)
	return answer, err
}

// acrossConnections refuses a request that addresses several streams with a position in one.
func acrossConnections(param string, sources []source) *problem {
	p := invalid("invalid_argument", "`%s` is not supported across multiple connections. "+
		"Retry with `connection_id` to bind the cursor to a single connection.", param).of(param)
	p.available, p.retryWith = availableConnections(sources), "connection_id"
	return p
}
