package resource

import (
	"cmp"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// streamRow is one stream of one connection in the list of streams.
type streamRow struct {
	Object              string      `json:"object"` // "stream"
	Name                string      `json:"name"`
	RecordCount         int64       `json:"record_count"`
	LastUpdated         *string     `json:"last_updated"`
	ConnectionID        string      `json:"connection_id"`
	ConnectorInstanceID string      `json:"connector_instance_id"`
	DisplayName         string      `json:"display_name"`
	ConnectorID         string      `json:"connector_id,omitempty"`
	Source              *sourceName `json:"source,omitempty"`
	Freshness           freshness   `json:"freshness"`
}

// sourceName identifies a connector as a source of records.
type sourceName struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // "connector"
}

// freshness describes how current the records are. The sandbox collects nothing, so the status is unknown unless Coming
// sets it.
type freshness struct {
	Status     string  `json:"status"`
	CapturedAt *string `json:"captured_at,omitempty"`
}

func (c *call) freshness(captured *string) freshness {
	return freshness{Status: cmp.Or(c.coming.Freshness, "unknown"), CapturedAt: captured}
}

// lastUpdate formats a time for a document; the zero time is null.
func lastUpdate(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := timestamp(t)
	return &text
}

// readStreams lists every source that the bearer may read. It ignores unknown parameters.
func (s *server) readStreams(c *call) (any, error) {
	connectionID, err := c.connectionID()
	if err != nil {
		return nil, err
	}
	rows := []streamRow{}
	for _, source := range narrow(c.readable, connectionID, c.parameters.value("connector_id")) {
		measured, err := s.store.Summarize(c.Context(), "", source.selection())
		if err != nil {
			return nil, err
		}
		rows = append(rows, c.streamRow(source, measured))
	}
	return list[streamRow]{
		Object: "list", Data: rows, Links: listLinks{Self: c.self()}, Meta: c.meta(count{Kind: "none"}),
	}, nil
}

func (c *call) streamRow(source source, measured store.Summary) streamRow {
	updated := lastUpdate(measured.LastUpdated)
	row := streamRow{
		Object: "stream", Name: source.stream.Name, RecordCount: measured.Count, LastUpdated: updated,
		ConnectionID: source.connection.ID, ConnectorInstanceID: source.connection.ID,
		DisplayName: source.connection.DisplayName, Freshness: c.freshness(updated),
	}
	if c.isOwner() {
		row.ConnectorID = source.connector.Key
		row.Source = &sourceName{ID: source.connector.Key, Kind: "connector"}
	}
	return row
}

// readStream answers with the full declaration of one stream.
func (s *server) readStream(c *call) (any, error) {
	sources, err := s.sources(c, c.PathValue("stream"))
	if err != nil {
		return nil, err
	}
	document, err := s.streamDocument(c, streamGroup{sources: sources})
	if err != nil {
		return nil, err
	}
	return struct {
		streamDocument
		envelope
	}{document, c.envelope()}, nil
}
