package resource

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// connectorRegistry is the prefix of a connector's full name, which is a URL.
const connectorRegistry = "https://registry.pdpp.dev/connectors/"

// singleRecord is the answer about one record.
type singleRecord struct {
	recordDocument
	// RecordJSONBytes is the size of the granted data as JSON, whichever fields were asked for.
	RecordJSONBytes int `json:"record_json_bytes"`
	envelope
}

// readRecord answers with one record. It accepts fields and, where allowed, expansions, ignores other parameters, and
// omits fields that are not granted.
func (s *server) readRecord(c *call) (any, error) {
	source, entry, err := s.findRecord(c)
	if err != nil {
		return nil, err
	}
	if err := c.checkRestricted(); err != nil {
		return nil, err
	}
	fields, err := c.namedFields(source)
	if err != nil {
		return nil, err
	}
	expansions, err := c.expansions(source)
	if err != nil {
		return nil, err
	}
	document, err := source.document(entry, fields)
	if err != nil {
		return nil, err
	}
	if document.Expanded, err = s.expand(c, source, entry.Key, expansions); err != nil {
		return nil, err
	}
	document.ConnectorKey = c.connectorName(source)
	granted, err := source.project(entry.Data, nil)
	if err != nil {
		return nil, fmt.Errorf("project record %q: %w", entry.Key, err)
	}
	return singleRecord{recordDocument: document, RecordJSONBytes: len(granted), envelope: c.envelope()}, nil
}

// findRecord reads the record that the path names from the one source that has it.
func (s *server) findRecord(c *call) (source, store.Entry, error) {
	id, err := url.PathUnescape(c.PathValue("id")) // a second time, as real servers do
	if err != nil {
		id = c.PathValue("id")
	}
	sources, err := s.sources(c, c.PathValue("stream"))
	if err != nil {
		return source{}, store.Entry{}, err
	}
	var holders []source
	var found store.Entry
	for _, candidate := range sources {
		entry, err := s.store.Record(c.Context(), candidate.selection(), id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return source{}, store.Entry{}, err
		}
		holders, found = append(holders, candidate), entry
	}
	switch len(holders) {
	case 0:
		return source{}, store.Entry{}, notFound("not_found", "Record not found")
	case 1:
		return holders[0], found, nil
	}
	return source{}, store.Entry{}, ambiguous(id, holders)
}

// connectorName returns the connector's key for an owner, and its full name for other bearers.
func (c *call) connectorName(source source) string {
	if c.isOwner() {
		return source.connector.Key
	}
	return connectorRegistry + source.connector.Key
}
