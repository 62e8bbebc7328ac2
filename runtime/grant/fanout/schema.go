package fanout

import (
	"cmp"
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
)

// schema merges the documents of every source that may have the stream (R-PKG-7). If no source has it, the document is
// empty (docs/provider-contract.md). The document has only the members that package schemadoc reads. Warnings about
// missing sources come first.
func (r *Reader) schema(ctx context.Context, request rs.Request, streams []string) (*rs.Response, error) {
	var sent []rawjson.Value // warnings
	var connectors []rawjson.Object
	response, warnings, err := r.gather(ctx, request, streams, func(source *Source, response *rs.Response) error {
		document, err := schemaquery.Read(response)
		if err != nil {
			return err
		}
		for _, each := range document.Connectors {
			if err := callEnded(ctx); err != nil {
				return err
			}
			connectors = append(connectors, source.connected(each))
		}
		meta, _ := rawjson.ParseObject(document.Members.Get("meta"))
		more, _ := rawjson.Elements(meta.Get("warnings"))
		sent = append(sent, more...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return response.WithMembers(rawjson.Object{
		rawjson.Raw("bearer", rawjson.Object{rawjson.String("token_kind", rs.KindPackage)}.Encode()),
		rawjson.Raw("connectors", mergeConnectors(connectors)),
		metaOf(append(warnings, sent...)),
	}), nil
}

// connected returns a connector with its connections. The default is the source's connection.
func (s *Source) connected(c *schemadoc.Connector) rawjson.Object {
	sent, isSent := rawjson.ParseObject(c.Row)
	if !isSent { // the server sent streams without a connector
		var rows []rawjson.Value
		for _, stream := range c.Streams {
			rows = append(rows, stream.Row)
		}
		sent = append(rawjson.Object{rawjson.Raw(wire.Streams, rawjson.Array(rows))}, rawjson.Texts("connector_key", cmp.Or(c.Key, s.ConnectorKey))...)
	}
	if s.ConnectionID == "" || s.Shared || len(c.Connections) > 0 {
		return sent
	}
	connection := rawjson.Texts(wire.ConnectionID, s.ConnectionID, "display_name", s.DisplayName)
	return sent.With("granted_connections", rawjson.Array([]rawjson.Value{connection.Encode()}))
}

// mergeConnectors merges connectors that differ only in their connections. Others stay separate even with the same key,
// because their grants may differ in any field. A connection of several documents is repeated; package schemadoc reads
// it once.
func mergeConnectors(connectors []rawjson.Object) rawjson.Value {
	const name = "granted_connections"
	var rows []rawjson.Object
	var connections [][]rawjson.Value // of each row
	known := map[string]int{}         // rows by the connector without its connections
	for _, each := range connectors {
		own, _ := rawjson.Elements(each.Get(name))
		content := string(each.Without(name).Encode())
		i, isKnown := known[content]
		if !isKnown || len(own) == 0 {
			i, rows, connections = len(rows), append(rows, each), append(connections, nil)
		}
		if len(own) > 0 {
			known[content], connections[i] = i, append(connections[i], own...)
		}
	}
	encoded := make([]rawjson.Value, len(rows))
	for i, row := range rows {
		if connections[i] != nil {
			row = row.With(name, rawjson.Array(connections[i]))
		}
		encoded[i] = row.Encode()
	}
	return rawjson.Array(encoded)
}

// streams lists the streams of every source. Each row has the connection of its source (R-SCH-9), and its grant and
// provider if there are several. A warning names each source that did not answer.
func (r *Reader) streams(ctx context.Context, request rs.Request) (*rs.Response, error) {
	var rows []rawjson.Value
	severalGrants := len(oneOfEach(r.active))+len(r.inactive) > 1
	response, warnings, err := r.gather(ctx, request, nil, func(source *Source, response *rs.Response) error {
		list, err := response.List()
		own := keep(r.active, source.sharesWith)
		for _, each := range list.Rows {
			if err := callEnded(ctx); err != nil {
				return err
			}
			if row, _ := rawjson.ParseObject(each); !r.claimsOther(row, own...) { // the other source lists it
				rows = append(rows, r.listed(source, row, severalGrants))
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	body := rawjson.Object{rawjson.String("object", "list"), rawjson.Raw("data", rawjson.Array(rows))}
	if len(warnings) > 0 {
		body = append(body, metaOf(warnings))
	}
	return response.WithMembers(body), nil
}

// listed returns a row with the members that identify its source.
func (r *Reader) listed(source *Source, row rawjson.Object, severalGrants bool) rawjson.Value {
	if source.ConnectionID != "" && !source.Shared && row.Get(wire.ConnectionID) == nil {
		row = row.With(wire.ConnectionID, rawjson.Quote(source.ConnectionID))
	}
	if severalGrants {
		row = row.With("grant_id", rawjson.Quote(source.GrantID))
	}
	if r.options.ProviderURL == "" {
		row = row.With("provider_url", rawjson.Quote(source.Reader.ProviderURL()))
	}
	return row.Encode()
}

func metaOf(warnings []rawjson.Value) rawjson.Member {
	return rawjson.Raw("meta", rawjson.Object{rawjson.Raw("warnings", rawjson.Array(warnings))}.Encode())
}
