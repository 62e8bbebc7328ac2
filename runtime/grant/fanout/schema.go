package fanout

import (
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
)

// Schema merges the documents of every source that may have the stream (R-PKG-7). If no source has it, the document is
// empty (docs/provider-contract.md). Warnings about missing sources come first. Its errors are those of Get.
func (r *Reader) Schema(ctx context.Context, request rs.Request) (*answer.Schema, error) {
	var sent []rawjson.Value // warnings
	var connectors []*schemadoc.Connector
	_, streams := scopeOf(request.Sources)
	merged, err := r.gather(ctx, request, streams, func(source *Source, response *rs.Response) error {
		document, err := schemaquery.Read(response)
		if err != nil {
			return err
		}
		for _, each := range document.Connectors {
			if err := callEnded(ctx); err != nil {
				return err
			}
			source.describe(each)
		}
		connectors = append(connectors, document.Connectors...)
		sent = append(sent, document.Warnings()...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	document, err := schemadoc.Merge(connectors, append(merged.warnings, sent...))
	if err != nil {
		return nil, err
	}
	return &answer.Schema{Origin: merged.Origin, GrantIDs: merged.grants, Document: document}, nil
}

// describe completes a connector that its server sent without a key or without connections from the source. It names
// the grant of the connections.
func (s *Source) describe(c *schemadoc.Connector) {
	if c.Row == nil && c.Key == "" {
		c.Key, c.Members = s.ConnectorKey, rawjson.Texts("connector_key", s.ConnectorKey)
	}
	if s.ConnectionID != "" && !s.Shared && len(c.Connections) == 0 {
		c.Connections = []schemadoc.Connection{{ID: s.ConnectionID, Label: s.DisplayName}}
	}
	for i := range c.Connections {
		c.Connections[i].GrantID = s.GrantID
	}
	for _, stream := range c.Streams {
		for i := range stream.Connections {
			stream.Connections[i].GrantID = s.GrantID
		}
	}
}

// Streams lists the streams of every source. Each row has the connection of its source (R-SCH-9), and its grant and
// provider if there are several. A warning names each source that did not answer. Its errors are those of Get.
func (r *Reader) Streams(ctx context.Context, request rs.Request) (*answer.Streams, error) {
	var rows []rawjson.Object
	severalGrants := len(oneOfEach(r.active))+len(r.inactive) > 1
	merged, err := r.gather(ctx, request, nil, func(source *Source, response *rs.Response) error {
		sent, err := response.Rows()
		own := keep(r.active, source.sharesWith)
		for _, each := range sent {
			row := each.Members
			if err := callEnded(ctx); err != nil {
				return err
			}
			if !r.claimsOther(row, own...) { // the other source lists it
				rows = append(rows, r.listed(source, row, severalGrants))
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &answer.Streams{Origin: merged.Origin, GrantIDs: merged.grants, Rows: rows, Warnings: merged.warnings}, nil
}

// listed returns a row with the members that identify its source.
func (r *Reader) listed(source *Source, row rawjson.Object, severalGrants bool) rawjson.Object {
	if source.ConnectionID != "" && !source.Shared && row.Get(wire.ConnectionID) == nil {
		row = row.With(wire.ConnectionID, rawjson.Quote(source.ConnectionID))
	}
	if severalGrants {
		row = row.With("grant_id", rawjson.Quote(source.GrantID))
	}
	if r.options.ProviderURL == "" {
		row = row.With("provider_url", rawjson.Quote(source.Reader.ProviderURL()))
	}
	return row
}
