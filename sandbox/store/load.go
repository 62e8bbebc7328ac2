package store

import (
	"context"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// Load adopts the declarations of dataset and stores its records and blobs. A record whose key exists already, even as
// a tombstone, is not changed, so that changes in a kept database survive a restart.
func (s *Store) Load(ctx context.Context, dataset catalog.Dataset) error {
	s.declare(dataset)
	err := s.write(ctx, func(tx *transaction) error {
		l, err := startLoading(ctx, tx)
		if err != nil {
			return err
		}
		for _, record := range dataset.Records {
			stream, err := s.declaration(record.ConnectionID, record.Stream)
			if err != nil {
				return err
			}
			if err := l.add(ctx, record, stream); err != nil {
				return err
			}
		}
		for _, blob := range dataset.Blobs {
			if err := putBlob(ctx, tx, blob); err != nil {
				return err
			}
		}
		return l.finish(ctx)
	})
	if err != nil {
		return fmt.Errorf("load dataset: %w", err)
	}
	return nil
}

func (s *Store) declare(dataset catalog.Dataset) {
	s.declarations.Lock()
	defer s.declarations.Unlock()
	connectors := map[string]catalog.Connector{}
	for _, connector := range dataset.Connectors {
		connectors[connector.Key] = connector
	}
	for _, connection := range dataset.Connections {
		s.connections[connection.ID] = connection
		for _, stream := range connectors[connection.ConnectorKey].Streams {
			s.streams[streamName{connection.ID, stream.Name}] = stream
		}
	}
}

func (s *Store) declaration(connectionID, stream string) (catalog.Stream, error) {
	s.declarations.RLock()
	defer s.declarations.RUnlock()
	declared, ok := s.streams[streamName{connectionID, stream}]
	if !ok {
		return catalog.Stream{}, &UndeclaredError{ConnectionID: connectionID, Stream: stream}
	}
	return declared, nil
}
