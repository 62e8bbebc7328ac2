package resource

import (
	"fmt"
	"net/http"
)

// schemaDocument describes what a bearer may read.
type schemaDocument struct {
	Bearer     bearer            `json:"bearer"`
	Connectors []schemaConnector `json:"connectors"`
	Object     string            `json:"object"` // "schema"
	Detail     string            `json:"detail,omitempty"`
	// The counts are absent from the full schema of everything.
	ConnectorCount *int `json:"connector_count,omitempty"`
	StreamCount    *int `json:"stream_count,omitempty"`
	envelope
}

// bearer describes the token in use.
type bearer struct {
	Scope     string `json:"scope"` // grant or owner
	TokenKind string `json:"token_kind"`
	GrantID   string `json:"grant_id,omitempty"`
	ClientID  string `json:"client_id,omitempty"`
}

// schemaConnector is a connector in the schema. Its streams are streamDocument, each with its connections, or
// compactStream.
type schemaConnector struct {
	Object             string              `json:"object"` // "connector"
	Source             sourceName          `json:"source"`
	ConnectorKey       string              `json:"connector_key"`
	ConnectorID        string              `json:"connector_id"`
	StreamCount        int                 `json:"stream_count"`
	Streams            []any               `json:"streams"`
	GrantedConnections []grantedConnection `json:"granted_connections,omitempty"`
}

type grantedConnection struct {
	ConnectionID string `json:"connection_id"`
	DisplayName  string `json:"display_name"`
}

// readSchema describes everything that the bearer may read, or only a stream or a connection. It ignores unknown
// parameters; for an unknown stream or connection the schema is empty.
func (s *server) readSchema(c *call) (any, error) {
	connectionID, err := c.connectionID()
	if err != nil {
		return nil, err
	}
	stream := c.parameters.value("stream")
	sources := narrow(c.readable, connectionID, c.parameters.value("connector_id"))
	if stream != "" {
		sources = keep(sources, func(s source) bool { return s.stream.Name == stream })
	}
	if c.parameters.value("detail") == "full" {
		if err := checkFullDetail(stream, sources); err != nil {
			return nil, err
		}
	}
	document := schemaDocument{Bearer: c.bearer(), Object: "schema", Connectors: []schemaConnector{}}
	compact := c.parameters.value("view") == "compact" && c.parameters.value("detail") != "full"
	if compact {
		document.Detail = "compact"
	}
	connectors, streams := 0, 0
	for _, group := range groupByConnector(sources) {
		connector, err := s.schemaConnector(c, group, compact)
		if err != nil {
			return nil, err
		}
		document.Connectors = append(document.Connectors, connector)
		connectors, streams = connectors+1, streams+connector.StreamCount
	}
	if compact || stream != "" || connectionID != "" {
		document.ConnectorCount, document.StreamCount = &connectors, &streams
	}
	document.envelope = c.envelope()
	return document, nil
}

// checkFullDetail refuses detail=full for more than one source.
func checkFullDetail(stream string, sources []source) error {
	if stream == "" {
		return invalidRequest(
			"schema detail \"full\" requires `stream`; call /v1/schema?view=compact for global discovery, " +
				"then /v1/schema?stream=<name>&connection_id=<cin>&detail=full for exhaustive detail.").of("detail")
	}
	if len(sources) < 2 {
		return nil
	}
	available := availableConnections(sources)
	for i, source := range sources {
		available[i].ConnectorKey, available[i].Stream = source.connector.Key, source.stream.Name
	}
	return &problem{
		status: http.StatusConflict, code: "ambiguous_schema_detail", param: "connection_id",
		message: fmt.Sprintf("schema detail \"full\" for stream %q matches %d sources; "+
			"retry with connection_id to fetch one source's exhaustive schema.", stream, len(sources)),
		available: available, retryWith: "connection_id",
	}
}

func (c *call) bearer() bearer {
	if c.isOwner() {
		return bearer{Scope: "owner", TokenKind: ownerKind}
	}
	return bearer{
		Scope: "grant", TokenKind: c.access.Kind, ClientID: c.access.ClientID, GrantID: c.access.Grants[0].ID,
	}
}

func (s *server) schemaConnector(c *call, group connectorGroup, compact bool) (schemaConnector, error) {
	connector := schemaConnector{
		Object: "connector", Source: sourceName{ID: c.connectorName(group.streams[0].sources[0]), Kind: "connector"},
		ConnectorKey: group.connector.Key, ConnectorID: group.connector.Key, StreamCount: len(group.streams),
	}
	if compact {
		connector.compact(c, group)
		return connector, nil
	}
	for _, stream := range group.streams {
		document, err := s.streamDocument(c, stream)
		if err != nil {
			return schemaConnector{}, err
		}
		document.GrantedConnections = grantedConnections(stream.sources)
		connector.Streams = append(connector.Streams, document)
	}
	return connector, nil
}

// compact returns the compact schema. It names the connections once, and again only at streams that some of them lack.
func (connector *schemaConnector) compact(c *call, group connectorGroup) {
	var all []source
	for _, stream := range group.streams {
		all = append(all, stream.sources...)
	}
	connector.GrantedConnections = grantedConnections(all)
	for _, stream := range group.streams {
		document := c.compactStream(stream.sources[0])
		if len(stream.sources) < len(connector.GrantedConnections) {
			document.GrantedConnections = grantedConnections(stream.sources)
		}
		connector.Streams = append(connector.Streams, document)
	}
}

// grantedConnections returns the connections of the sources, each once.
func grantedConnections(sources []source) []grantedConnection {
	var granted []grantedConnection
	seen := map[string]bool{}
	for _, source := range sources {
		if !seen[source.connection.ID] {
			seen[source.connection.ID] = true
			granted = append(granted, grantedConnection{source.connection.ID, source.connection.DisplayName})
		}
	}
	return granted
}
