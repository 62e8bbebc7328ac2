package resource

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// maxIngestBytes bounds the body of one ingest request.
const maxIngestBytes = 16 << 20

// ownerOnly refuses every bearer that is not an owner's.
func ownerOnly(act func(*call) (any, error)) func(*call) (any, error) {
	return func(c *call) (any, error) {
		if !c.isOwner() {
			return nil, forbidden("permission_error", "Owner token required")
		}
		return act(c)
	}
}

// ownerConnection is a connection as its owner sees it.
type ownerConnection struct {
	Object              string `json:"object"` // "owner_connection"
	ConnectionID        string `json:"connection_id"`
	ConnectorInstanceID string `json:"connector_instance_id"`
	ConnectorKey        string `json:"connector_key"`
	ConnectorID         string `json:"connector_id"`
	DisplayName         string `json:"display_name"`
	Status              string `json:"status"` // "active"
}

func (s *server) listConnections(*call) (any, error) {
	rows := []ownerConnection{}
	for _, connection := range s.connections {
		rows = append(rows, ownerConnection{
			Object: "owner_connection", ConnectionID: connection.ID, ConnectorInstanceID: connection.ID,
			ConnectorKey: connection.ConnectorKey, ConnectorID: connection.ConnectorKey,
			DisplayName: connection.DisplayName, Status: "active",
		})
	}
	return struct {
		Object string            `json:"object"`
		Data   []ownerConnection `json:"data"`
	}{"list", rows}, nil
}

// ownedSource returns the one source that an owner's request addresses. If the connector has several connections, only
// the deprecated name of connection_id selects one.
func (s *server) ownedSource(c *call) (source, error) {
	sources, err := s.sources(c, c.PathValue("stream"))
	if err != nil {
		return source{}, err
	}
	key := sources[0].connector.Key
	if c.parameters.value("connector_instance_id") == "" && len(keep(c.readable, func(each source) bool {
		return each.connector.Key == key && each.stream.Name == sources[0].stream.Name
	})) > 1 {
		return source{}, invalid("ambiguous_connector_instance",
			"Connector '%s' has multiple active instances for owner 'owner_local'.", key)
	}
	return sources[0], nil
}

// deleteRecord replaces a record with a tombstone, which the change feed shows.
func (s *server) deleteRecord(c *call) (any, error) {
	source, err := s.ownedSource(c)
	if err != nil {
		return nil, err
	}
	err = s.store.Delete(c.Context(), source.connection.ID, source.stream.Name, c.PathValue("id"))
	if errors.Is(err, store.ErrNotFound) {
		return nil, notFound("not_found", "Record not found")
	}
	return noContent{}, err
}

// ingested is one record in the body of an ingest request, which is a sequence of JSON objects.
type ingested struct {
	Key       string          `json:"key"`
	Data      json.RawMessage `json:"data"`
	EmittedAt time.Time       `json:"emitted_at"`
}

type ingestReport struct {
	Stream     string      `json:"stream"`
	Attempted  int         `json:"records_attempted"`
	Accepted   int         `json:"records_accepted"`
	Rejected   int         `json:"records_rejected"`
	Errors     []string    `json:"errors"`
	Rejections []rejection `json:"rejections"`
}

type rejection struct {
	Key     string `json:"key"`
	Message string `json:"message"`
}

// ingestRecord stores the records of the body. It reports records that the store refuses, and keeps the others.
func (s *server) ingestRecord(c *call) (any, error) {
	source, err := s.ownedSource(c)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, c.Body, maxIngestBytes))
	if err != nil {
		return nil, &problem{
			status: http.StatusRequestEntityTooLarge, code: "request_too_large",
			message: fmt.Sprintf("The body exceeds %d bytes or could not be read", maxIngestBytes),
		}
	}
	report := ingestReport{Stream: source.stream.Name, Errors: []string{}, Rejections: []rejection{}}
	for decoder := json.NewDecoder(bytes.NewReader(body)); ; {
		var record ingested
		if err := decoder.Decode(&record); errors.Is(err, io.EOF) {
			return report, nil
		} else if err != nil {
			return nil, invalidRequest("The body must be JSON objects with key, data and emitted_at: %v", err)
		}
		if err := s.ingest(c, source, record, &report); err != nil {
			return nil, err
		}
	}
}

func (s *server) ingest(c *call, source source, record ingested, report *ingestReport) error {
	report.Attempted++
	if record.EmittedAt.IsZero() {
		record.EmittedAt = time.Now()
	}
	err := s.store.Put(c.Context(), catalog.Record{
		ConnectionID: source.connection.ID, Stream: source.stream.Name,
		Key: record.Key, Data: record.Data, EmittedAt: record.EmittedAt,
	})
	var refused *store.DataError
	if errors.As(err, &refused) {
		report.Rejected++
		report.Rejections = append(report.Rejections, rejection{Key: record.Key, Message: refused.Error()})
		return nil
	}
	if err == nil {
		report.Accepted++
	}
	return err
}
