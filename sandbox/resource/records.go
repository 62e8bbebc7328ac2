package resource

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// recordDocument is a record in an answer. A tombstone has Deleted and no Data.
type recordDocument struct {
	ConnectorKey        string          `json:"connector_key,omitempty"`
	Object              string          `json:"object"` // "record"
	ID                  string          `json:"id"`
	Stream              string          `json:"stream"`
	Data                json.RawMessage `json:"data,omitempty"`
	EmittedAt           string          `json:"emitted_at"`
	Deleted             bool            `json:"deleted,omitempty"`
	DeletedAt           string          `json:"deleted_at,omitempty"`
	ConnectionID        string          `json:"connection_id"`
	ConnectorInstanceID string          `json:"connector_instance_id"`
	DisplayName         string          `json:"display_name"`
	Expanded            map[string]any  `json:"expanded,omitempty"` // recordDocument, expandedList or null by relation
}

// document returns one entry of the source as a document, with the named fields.
func (s source) document(entry store.Entry, fields []string) (recordDocument, error) {
	document := recordDocument{
		Object: "record", ID: entry.Key, Stream: entry.Stream, EmittedAt: timestamp(entry.EmittedAt),
		ConnectionID: s.connection.ID, ConnectorInstanceID: s.connection.ID, DisplayName: s.connection.DisplayName,
	}
	if !entry.DeletedAt.IsZero() {
		document.Deleted, document.DeletedAt = true, timestamp(entry.DeletedAt)
		return document, nil
	}
	data, err := s.project(entry.Data, fields)
	if err != nil {
		return recordDocument{}, fmt.Errorf("project record %q: %w", entry.Key, err)
	}
	document.Data = data
	return document, nil
}

func (s source) documents(entries []store.Entry, fields []string) ([]recordDocument, error) {
	documents := make([]recordDocument, len(entries))
	for i, entry := range entries {
		document, err := s.document(entry, fields)
		if err != nil {
			return nil, err
		}
		documents[i] = document
	}
	return documents, nil
}

// recordsParameters are the parameters of a records list.
var recordsParameters = []string{
	"limit", "cursor", "order", "sort", "count", "window", "fields", "view", "filter[key]", "filter",
	"expand[]", "expand_limit[key]", "changes_since", "connection_id", "connector_id", "connector_instance_id",
}

// listing is a records request, checked.
type listing struct {
	sources    []source
	limit      int
	descending bool
	fields     []string
	conditions []store.Condition
	expansions []expansion
}

func (l listing) selection(source source) store.Selection { return source.selection(l.conditions...) }

func (s *server) readRecords(c *call) (any, error) {
	l, err := s.newListing(c)
	if err != nil {
		return nil, err
	}
	if since, given := c.parameters.first("changes_since"); given {
		return s.startFeed(c, l, since)
	}
	text, given := c.parameters.first("cursor")
	if !given || text == "" {
		return s.listRecords(c, l, nil)
	}
	cursor, err := decodePageCursor(text)
	if err != nil {
		return nil, err
	}
	if cursor.Session == changesSession {
		return s.continueFeed(c, l, cursor)
	}
	if cursor.Order != direction(l.descending) {
		return nil, invalid("invalid_cursor", "Cursor order does not match request order")
	}
	return s.listRecords(c, l, cursor.position())
}

// newListing checks the parts of a request in the order of real servers, so that it reports the same one of several
// mistakes.
func (s *server) newListing(c *call) (listing, error) {
	sources, err := s.alikeSources(c, c.PathValue("stream"))
	if err != nil {
		return listing{}, err
	}
	if err := c.checkRestricted(); err != nil {
		return listing{}, err
	}
	l := listing{sources: sources, limit: c.pageLimit("100 records")}
	if l.fields, err = c.projection(sources[0]); err != nil {
		return listing{}, err
	}
	if err := c.parameters.checkNames(recordsParameters...); err != nil {
		return listing{}, err
	}
	if l.descending, err = c.descending(sources[0]); err != nil {
		return listing{}, err
	}
	if l.conditions, err = c.conditions(sources[0]); err != nil {
		return listing{}, err
	}
	l.expansions, err = c.expansions(sources[0])
	return l, err
}

// listRecords reads a page of each source. For several sources there is no cursor, because a cursor holds a position
// in one stream.
func (s *server) listRecords(c *call, l listing, after *store.Position) (any, error) {
	answer := list[recordDocument]{Object: "list", URL: c.URL.EscapedPath(), Data: []recordDocument{}}
	var last store.Entry
	for _, source := range l.sources {
		entries, more, err := s.store.Page(c.Context(), l.selection(source), l.descending, after, l.limit)
		if err != nil {
			return nil, err
		}
		documents, err := s.expandedDocuments(c, l, source, entries)
		if err != nil {
			return nil, err
		}
		answer.Data = append(answer.Data, documents...)
		answer.HasMore = answer.HasMore || more
		if len(entries) > 0 {
			last = entries[len(entries)-1]
		}
	}
	answer.Links.Self = c.self()
	if answer.HasMore {
		if err := c.continueList(&answer, l, last.Position); err != nil {
			return nil, err
		}
	}
	meta, err := s.listMeta(c, l)
	answer.Meta = meta
	return answer, err
}

func (c *call) continueList(answer *list[recordDocument], l listing, last store.Position) error {
	if len(l.sources) > 1 {
		c.warn(warning{
			Code: "partial_results", Param: "connection_id",
			Message: "has_more=true and next_cursor is not emitted under multi-connection fan-in. " +
				"Retry with `connection_id` to page a single connection.",
		})
		return nil
	}
	cursor, err := encodeCursor(pageCursor{
		Kind: "page", Session: recordsSession, Order: direction(l.descending), Value: last.Value, Key: []string{last.Key},
	})
	answer.NextCursor, answer.Links.Next = cursor, c.nextPage(cursor)
	return err
}

func (s *server) expandedDocuments(c *call, l listing, source source, entries []store.Entry) ([]recordDocument, error) {
	documents, err := source.documents(entries, l.fields)
	if err != nil {
		return nil, err
	}
	for i, entry := range entries {
		if !entry.DeletedAt.IsZero() {
			continue
		}
		if documents[i].Expanded, err = s.expand(c, source, entry.Key, l.expansions); err != nil {
			return nil, err
		}
	}
	return documents, nil
}

// summary describes the records of all pages together.
type summary struct {
	Total      int64  `json:"total"`
	EarliestAt string `json:"earliest_at,omitempty"`
	LatestAt   string `json:"latest_at,omitempty"`
}

// listMeta counts when the request asks for it. Estimates are exact here: counting is cheap.
func (s *server) listMeta(c *call, l listing) (meta, error) {
	wanted, window := c.parameters.value("count"), c.parameters.value("window")
	switch wanted {
	case "", "none", "estimated", "exact":
	default:
		return meta{}, invalidRequest("count must be one of: none, estimated, exact")
	}
	switch window {
	case "", "none", "exact":
	default:
		return meta{}, invalidRequest("window must be one of: none, exact")
	}
	result := c.meta(count{Kind: "none"})
	if wanted != "estimated" && wanted != "exact" && window != "exact" {
		return result, nil
	}
	cursorField := l.sources[0].stream.CursorField
	measured, err := s.store.Summarize(c.Context(), cursorField, selections(l.sources, l.conditions)...)
	if err != nil {
		return meta{}, err
	}
	if wanted == "estimated" || wanted == "exact" {
		result.Count = count{Kind: "exact", Value: &measured.Count}
	}
	if window == "exact" {
		result.Window = &summary{Total: measured.Count}
		if l.sources[0].grants(cursorField) {
			result.Window.EarliestAt, result.Window.LatestAt = measured.Earliest, measured.Latest
		}
	}
	return result, nil
}

// descending reports whether order and sort, which must agree, ask for newest first, the default.
func (c *call) descending(source source) (bool, error) {
	order := c.parameters.value("order")
	if order != "" && order != "asc" && order != "desc" {
		return false, invalidRequest("order must be asc or desc")
	}
	sort := c.parameters.value("sort")
	if sort == "" {
		return order != "asc", nil
	}
	for name := range strings.SplitSeq(sort, ",") {
		name = strings.TrimPrefix(name, "-")
		if name != source.stream.CursorField || name == "" {
			return false, invalid("invalid_sort",
				"Sort field '%s' is not advertised as sortable; check /v1/schema for the canonical sort vocabulary.",
				name).of("sort")
		}
	}
	descending := strings.HasPrefix(sort, "-")
	if order != "" && descending != (order == "desc") {
		return false, invalid("invalid_sort",
			"sort and order disagree: sort resolves to %s, order=%s. Send only canonical `sort`.",
			direction(descending), order).of("sort")
	}
	return descending, nil
}

func direction(descending bool) string {
	if descending {
		return "DESC"
	}
	return "ASC"
}
