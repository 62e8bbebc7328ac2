package resource

import (
	"net/url"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// connectorGroup is a connector and the streams of it that a bearer may read.
type connectorGroup struct {
	connector catalog.Connector
	streams   []streamGroup
}

// streamGroup is one stream in all the connections that a bearer may read it in; there is at least one.
type streamGroup struct{ sources []source }

func (g streamGroup) stream() catalog.Stream { return g.sources[0].stream }

// groupByConnector orders sources as they come, by connector and by stream.
func groupByConnector(sources []source) []connectorGroup {
	var groups []connectorGroup
	for _, source := range sources {
		i := slices.IndexFunc(groups, func(g connectorGroup) bool { return g.connector.Key == source.connector.Key })
		if i < 0 {
			i = len(groups)
			groups = append(groups, connectorGroup{connector: source.connector})
		}
		group := &groups[i]
		j := slices.IndexFunc(group.streams, func(g streamGroup) bool { return g.stream().Name == source.stream.Name })
		if j < 0 {
			j = len(group.streams)
			group.streams = append(group.streams, streamGroup{})
		}
		group.streams[j].sources = append(group.streams[j].sources, source)
	}
	return groups
}

// connectorRow is a connector in the list of connectors.
type connectorRow struct {
	Object       string            `json:"object"` // "connector"
	Source       sourceName        `json:"source"`
	ConnectorKey string            `json:"connector_key"`
	ConnectorID  string            `json:"connector_id"`
	StreamCount  int               `json:"stream_count"`
	Streams      []connectorStream `json:"streams"`
}

// connectorStream is a stream in all connections of a connector together.
type connectorStream struct {
	Object       string             `json:"object"` // "stream"
	Name         string             `json:"name"`
	RecordCount  int64              `json:"record_count"`
	LastUpdated  *string            `json:"last_updated"`
	Freshness    freshness          `json:"freshness"`
	Capabilities streamCapabilities `json:"capabilities"`
}

// streamCapabilities say which requests make sense for a stream.
type streamCapabilities struct {
	StreamMetadata bool    `json:"stream_metadata"`
	MetadataURL    string  `json:"metadata_url"`
	Records        bool    `json:"records"`
	RecordsURL     string  `json:"records_url"`
	Aggregate      bool    `json:"aggregate"`
	AggregateURL   *string `json:"aggregate_url"`
	ChangesSince   bool    `json:"changes_since"`
	ExactFilters   bool    `json:"exact_filters"`
	RangeFilters   bool    `json:"range_filters"`
	Expand         bool    `json:"expand"`
}

// readConnectors lists the connectors that the bearer may read from.
func (s *server) readConnectors(c *call) (any, error) {
	rows := []connectorRow{}
	for _, group := range groupByConnector(c.readable) {
		row := connectorRow{
			Object: "connector", Source: sourceName{ID: c.connectorName(group.streams[0].sources[0]), Kind: "connector"},
			ConnectorKey: group.connector.Key, ConnectorID: group.connector.Key, StreamCount: len(group.streams),
		}
		for _, stream := range group.streams {
			measured, err := s.store.Summarize(c.Context(), "", selections(stream.sources, nil)...)
			if err != nil {
				return nil, err
			}
			updated := lastUpdate(measured.LastUpdated)
			row.Streams = append(row.Streams, connectorStream{
				Object: "stream", Name: stream.stream().Name, RecordCount: measured.Count, LastUpdated: updated,
				Freshness: c.freshness(updated), Capabilities: capabilitiesOf(group.connector, stream.stream()),
			})
		}
		rows = append(rows, row)
	}
	return struct {
		Object string         `json:"object"`
		Data   []connectorRow `json:"data"`
	}{"list", rows}, nil
}

func capabilitiesOf(connector catalog.Connector, stream catalog.Stream) streamCapabilities {
	base := "/v1/streams/" + url.PathEscape(stream.Name)
	suffix := "?connector_id=" + url.QueryEscape(connector.Key)
	aggregateURL := base + "/aggregate" + suffix
	has := func(declared func(catalog.Field) bool) bool { return slices.ContainsFunc(stream.Fields, declared) }
	return streamCapabilities{
		StreamMetadata: true, MetadataURL: base + suffix,
		Records: true, RecordsURL: base + "/records" + suffix,
		Aggregate: true, AggregateURL: &aggregateURL,
		ChangesSince: true, Expand: len(stream.Relations) > 0,
		ExactFilters: has(func(f catalog.Field) bool { return f.Exact }),
		RangeFilters: has(func(f catalog.Field) bool { return len(f.Range) > 0 }),
	}
}
