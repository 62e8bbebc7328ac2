package resource

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// readableSources lists every source that a bearer may read: all of them for an owner, otherwise the sources of its
// grants.
func (s *server) readableSources(access catalog.Access) []source {
	var sources []source
	if access.Kind == ownerKind {
		for _, connector := range s.connectors {
			for _, stream := range connector.Streams {
				for _, connection := range s.connections {
					if connection.ConnectorKey == connector.Key {
						sources = append(sources, source{connector: connector, connection: connection, stream: stream})
					}
				}
			}
		}
		return sources
	}
	for _, grant := range access.Grants {
		for _, granted := range grant.Streams {
			sources = s.appendGranted(sources, grant.ConnectorKey, granted)
		}
	}
	return sources
}

// appendGranted adds the sources of one stream of a grant. It skips undeclared streams. A grant without a
// connector spans all connectors.
func (s *server) appendGranted(sources []source, connectorKey string, granted catalog.StreamGrant) []source {
	for _, connector := range s.connectors {
		stream, declared := streamNamed(connector.Streams, granted.Name)
		if connectorKey != "" && connector.Key != connectorKey || !declared {
			continue
		}
		for _, connection := range s.connections {
			if connection.ConnectorKey == connector.Key && slices.Contains(granted.ConnectionIDs, connection.ID) {
				sources = append(sources, source{
					connector: connector, connection: connection, stream: stream,
					fields: granted.Fields, since: granted.Since, until: granted.Until, keys: granted.Resources,
				})
			}
		}
	}
	return sources
}

func streamNamed(streams []catalog.Stream, name string) (catalog.Stream, bool) {
	for _, stream := range streams {
		if stream.Name == name {
			return stream, true
		}
	}
	return catalog.Stream{}, false
}

// sources returns the sources of one stream that a request addresses, at least one: all that the bearer may
// read, or those of the connection or the connector that the request names.
func (s *server) sources(c *call, stream string) ([]source, error) {
	connectionID, err := c.connectionID()
	if err != nil {
		return nil, err
	}
	connectorKey := c.parameters.value("connector_id")
	ofStream := keep(c.readable, func(s source) bool { return s.stream.Name == stream })
	if c.isOwner() {
		if err := s.checkOwnerScope(c, connectionID, connectorKey); err != nil {
			return nil, err
		}
		addressed := narrow(ofStream, connectionID, connectorKey)
		if len(addressed) == 0 {
			return nil, notFound("not_found", "Stream '%s' not found", stream)
		}
		return addressed, c.coming.checkAvailable(addressed)
	}
	if len(ofStream) == 0 {
		return nil, s.failedClosed("context.stream_not_allowed")
	}
	addressed := narrow(ofStream, connectionID, connectorKey)
	if len(addressed) == 0 {
		return nil, s.failedClosed("context.instance_mismatch")
	}
	return addressed, c.coming.checkAvailable(addressed)
}

// alikeSources returns the addressed sources if they declare their stream alike, so that a request's fields and
// filters can be checked against the first one.
func (s *server) alikeSources(c *call, stream string) ([]source, error) {
	sources, err := s.sources(c, stream)
	if err != nil {
		return nil, err
	}
	for _, source := range sources[1:] {
		if source.connector.Key != sources[0].connector.Key {
			return nil, &problem{
				status: http.StatusConflict, code: "ambiguous_connection",
				message:   fmt.Sprintf("Stream '%s' is declared by more than one connector. Retry with `connection_id`.", stream),
				available: availableConnections(sources), retryWith: "connection_id",
			}
		}
	}
	return sources, nil
}

// checkOwnerScope refuses an owner's request that names neither a connector nor a connection.
func (s *server) checkOwnerScope(c *call, connectionID, connectorKey string) error {
	if connectionID == "" && connectorKey == "" {
		return invalidRequest("connector_id must be a single non-empty string for polyfill owner access")
	}
	if connectionID != "" && len(narrow(c.readable, connectionID, "")) == 0 {
		return connectionNotFound(connectionID)
	}
	if connectorKey != "" && len(narrow(c.readable, "", connectorKey)) == 0 {
		return notFound("not_found", "Unknown source: %s", connectorKey)
	}
	return nil
}

func connectionNotFound(connectionID string) *problem {
	return notFound("connection_not_found", "connection_id '%s' is not addressable under this grant.",
		connectionID).of("connection_id")
}

// connectionID returns the connection that the request names, by connection_id or by its deprecated name.
func (c *call) connectionID() (string, error) {
	connectionID := c.parameters.value("connection_id")
	if len(c.parameters.all("connection_id")) > 1 {
		connectionID = "" // real servers ignore it too
	}
	twin := c.parameters.value("connector_instance_id")
	if twin == "" {
		return connectionID, nil
	}
	if connectionID != "" && connectionID != twin {
		return "", &problem{
			status: http.StatusInternalServerError, code: "invalid_argument", unwrapped: true,
			message: "connection_id and connector_instance_id refer to the same connection. " +
				"Send only `connection_id` (canonical) or supply matching values.",
		}
	}
	c.warn(warning{
		Code: "deprecated_alias_used", Param: "connector_instance_id",
		Message: "`connector_instance_id` is deprecated; send `connection_id` instead.",
	})
	return twin, nil
}

// narrow returns the sources of a connection and of a connector; an empty string means any.
func narrow(sources []source, connectionID, connectorKey string) []source {
	return keep(sources, func(s source) bool {
		return (connectionID == "" || s.connection.ID == connectionID) &&
			(connectorKey == "" || s.connector.Key == connectorKey)
	})
}

func keep(sources []source, wanted func(source) bool) []source {
	var kept []source
	for _, source := range sources {
		if wanted(source) {
			kept = append(kept, source)
		}
	}
	return kept
}

// ambiguous returns the 409 for a request that several connections could answer.
func ambiguous(id string, sources []source) *problem {
	return &problem{
		status: http.StatusConflict, code: "ambiguous_connection",
		message:   fmt.Sprintf("Record '%s' is present under more than one connection. Retry with `connection_id`.", id),
		available: availableConnections(sources), retryWith: "connection_id",
	}
}
