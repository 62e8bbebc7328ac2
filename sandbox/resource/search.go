package resource

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// searchParameters are the parameters of every search.
var searchParameters = []string{
	"q", "streams[]", "limit", "cursor", "connection_id", "connector_id", "connector_instance_id", "filter[key]", "filter",
}

// search is a search request, checked.
type search struct {
	q       string
	limit   int
	scopes  []store.SearchScope
	sources map[sourceKey]source
	// connections is the number of searched connections.
	connections int
}

type sourceKey struct{ connectionID, stream string }

func (s *server) newSearch(c *call) (search, error) {
	if err := c.checkRestricted(); err != nil {
		return search{}, err
	}
	for _, parameter := range c.parameters {
		if err := (parameters{parameter}).checkNames(searchParameters...); err != nil {
			return search{}, err.of(parameter.name)
		}
	}
	given := c.parameters.all("q")
	if len(given) != 1 || given[0] == "" {
		return search{}, invalidRequest("q is required").of("q")
	}
	q := strings.TrimSpace(given[0])
	sources, err := c.searchedSources()
	if err != nil {
		return search{}, err
	}
	if err := c.coming.checkAvailable(sources); err != nil {
		return search{}, err
	}
	if len(c.parameters.bracketed("filter")) > 0 && len(c.parameters.all("streams")) != 1 {
		return search{},
			invalidRequest("filter[...] requires exactly one streams[] value (e.g. " +
				"?streams[]=messages&filter[received_at][gte]=...). " +
				"filter[stream] and filter[connector_id] are not supported.").of("streams")
	}
	wanted := search{q: q, limit: c.pageLimit("at most 100 hits"), sources: map[sourceKey]source{}}
	applicable := map[string]bool{}
	for _, source := range sources {
		fields := source.lexicalFields()
		if len(fields) == 0 {
			continue
		}
		conditions, err := c.conditions(source)
		var refused *problem
		if errors.As(err, &refused) && refused.code == "unknown_field" {
			continue // the source is skipped with a warning
		}
		if err != nil {
			return search{}, err
		}
		applicable[source.connection.ID] = true
		wanted.sources[sourceKey{source.connection.ID, source.stream.Name}] = source
		wanted.scopes = append(wanted.scopes,
			store.SearchScope{Selection: source.selection(conditions...), Fields: fields, Stale: s.staleIndex})
	}
	wanted.connections = len(applicable)
	c.warnSkipped(applicable)
	return wanted, nil
}

// searchedSources returns the sources that a search addresses.
func (c *call) searchedSources() ([]source, error) {
	connectionID, err := c.connectionID()
	if err != nil {
		return nil, err
	}
	sources := narrow(c.readable, connectionID, c.parameters.value("connector_id"))
	if connectionID != "" && len(sources) == 0 {
		return nil, connectionNotFound(connectionID)
	}
	streams := c.parameters.all("streams")
	if len(streams) == 0 {
		return sources, nil
	}
	for _, stream := range streams {
		if !slices.ContainsFunc(sources, func(s source) bool { return s.stream.Name == stream }) {
			return nil, forbidden("grant_stream_not_allowed", "Stream '%s' not in grant", stream)
		}
	}
	return keep(sources, func(s source) bool { return slices.Contains(streams, s.stream.Name) }), nil
}

func (s source) lexicalFields() []string {
	var names []string
	for _, field := range s.stream.Fields {
		if field.Lexical && s.grants(field.Name) {
			names = append(names, field.Name)
		}
	}
	return names
}

// warnSkipped adds a warning for each readable connection that has nothing to search, unless the request names one.
func (c *call) warnSkipped(applicable map[string]bool) {
	if c.parameters.value("connection_id") != "" || c.parameters.value("connector_instance_id") != "" {
		return
	}
	seen := map[string]bool{}
	for _, source := range c.readable {
		id := source.connection.ID
		if applicable[id] || seen[id] {
			continue
		}
		seen[id] = true
		c.warn(warning{
			Code: "source_skipped_not_applicable",
			Message: fmt.Sprintf("Connection '%s' under connector '%s' is not applicable to this query and was skipped.",
				id, source.connector.Key),
			Detail: map[string]any{"source": source.connector.Key, "connection_id": id},
		})
	}
}

// digest identifies what a search cursor is bound to: the query, its scope and the bearer's grants.
func (w search) digest(c *call, mode string) string {
	parts := []string{mode, w.q, c.access.Kind, c.access.ClientID}
	for _, grant := range c.access.Grants {
		parts = append(parts, grant.ID)
	}
	parts = append(parts, c.parameters.value("connection_id"))
	for _, scope := range w.scopes {
		parts = append(parts, scope.ConnectionID, scope.Stream)
	}
	for _, parameter := range c.parameters.bracketed("filter") {
		parts = append(parts, parameter.name, parameter.value)
	}
	return digest(parts...)
}

// searchHit is a record that was found.
type searchHit struct {
	Object              string           `json:"object"` // "search_result"
	ConnectorID         string           `json:"connector_id"`
	ConnectionID        string           `json:"connection_id"`
	ConnectorInstanceID string           `json:"connector_instance_id"`
	DisplayName         string           `json:"display_name"`
	Stream              string           `json:"stream"`
	RecordKey           string           `json:"record_key"`
	RecordURL           string           `json:"record_url"`
	EmittedAt           string           `json:"emitted_at"`
	AuthoredAt          string           `json:"authored_at,omitempty"`
	MatchedFields       []string         `json:"matched_fields"`
	RetrievalMode       string           `json:"retrieval_mode,omitempty"`
	RetrievalSources    []string         `json:"retrieval_sources,omitempty"`
	Snippet             snippet          `json:"snippet"`
	EvidenceExcerpts    []excerpt        `json:"evidence_excerpts,omitempty"`
	Score               *score           `json:"score,omitempty"`
	Scores              map[string]score `json:"scores,omitempty"`
}

type snippet struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

// score ranks the hits of one search; scores of different kinds cannot be compared.
type score struct {
	Kind  string  `json:"kind"`
	Order string  `json:"order"` // lower_is_better or higher_is_better
	Value float64 `json:"value"`
}

// newHit returns the members of a hit that all searches share.
func (c *call) newHit(source source, hit store.Hit) searchHit {
	document := searchHit{
		Object: "search_result", ConnectorID: source.connector.Key,
		ConnectionID: hit.ConnectionID, ConnectorInstanceID: hit.ConnectionID, DisplayName: source.connection.DisplayName,
		Stream: hit.Stream, RecordKey: hit.Key, RecordURL: recordPath(hit),
		EmittedAt: timestamp(hit.EmittedAt), AuthoredAt: source.authoredAt(hit.Data),
	}
	if c.isOwner() {
		document.RecordURL += "?connector_id=" + url.QueryEscape(source.connector.Key)
	}
	for _, field := range source.stream.Fields {
		matched := func(m store.Match) bool { return m.Field == field.Name }
		if slices.ContainsFunc(hit.Matches, matched) {
			document.MatchedFields = append(document.MatchedFields, field.Name)
		}
	}
	return document
}

func recordPath(hit store.Hit) string {
	return "/v1/streams/" + url.PathEscape(hit.Stream) + "/records/" + url.QueryEscape(hit.Key)
}

// authoredAt returns the record's own event time, if it has one and it is granted.
func (s source) authoredAt(data json.RawMessage) string {
	var values map[string]json.RawMessage
	if json.Unmarshal(data, &values) != nil {
		return ""
	}
	for _, field := range s.stream.Fields {
		var text string
		if field.Role == "event-time" && s.grants(field.Name) && json.Unmarshal(values[field.Name], &text) == nil {
			return text
		}
	}
	return ""
}
