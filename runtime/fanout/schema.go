package fanout

import (
	"cmp"
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// schema merges the documents of every source that may have the stream (R-PKG-7). If no source has it, the document is empty
// (rs-contract.md). The document has only the members that package schemadoc reads. Warnings about missing sources come first.
func (r *Reader) schema(ctx context.Context, request rs.Request, streams []string) (*rs.Response, error) {
	var sent []rawjson.Value // warnings
	merged := connectors{byContent: map[string]*connector{}}
	response, warnings, err := r.gather(ctx, request, streams, func(source *Source, response *rs.Response) error {
		document, err := schemadoc.Read(response)
		if err != nil {
			return err
		}
		for _, each := range document.Connectors {
			if err := callEnded(ctx); err != nil {
				return err
			}
			merged.add(source.connected(each))
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
		rawjson.Raw("connectors", merged.encode()),
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
		sent = append(rawjson.Object{rawjson.Raw("streams", rawjson.Array(rows))}, rawjson.Texts("connector_key", cmp.Or(c.Key, s.ConnectorKey))...)
	}
	if s.ConnectionID == "" || s.Shared || len(c.Connections) > 0 {
		return sent
	}
	connection := rawjson.Texts("connection_id", s.ConnectionID, "display_name", s.DisplayName)
	return sent.With("granted_connections", rawjson.Array([]rawjson.Value{connection.Encode()}))
}

// connectors are the connectors of several documents.
type connectors struct {
	all       []*connector
	byContent map[string]*connector // by the encoded connector without its connections
}

// connector is a connector with the connections of every connector that is otherwise equal.
type connector struct {
	first       rawjson.Object
	connections []rawjson.Value
}

// add merges connectors that differ only in their connections. Others stay separate even with the same key, because their grants may differ
// in any field.
func (c *connectors) add(sent rawjson.Object) {
	added := &connector{first: sent}
	if added.connections, _ = rawjson.Elements(sent.Get("granted_connections")); len(added.connections) > 0 {
		rest := string(sent.Without("granted_connections").Encode())
		if earlier, isKnown := c.byContent[rest]; isKnown {
			earlier.connections = append(earlier.connections, added.connections...)
			return
		}
		c.byContent[rest] = added
	}
	c.all = append(c.all, added)
}

// encode returns the connectors with their connections, each once.
func (c *connectors) encode() rawjson.Value {
	rows := make([]rawjson.Value, len(c.all))
	for i, each := range c.all {
		ids := map[string]bool{}
		connections := keep(each.connections, func(row rawjson.Value) bool {
			connection, _ := rawjson.ParseObject(row)
			id := connection.Text("connection_id")
			isKnown := id != "" && ids[id]
			ids[id] = true
			return !isKnown
		})
		if len(connections) > 0 {
			each.first = each.first.With("granted_connections", rawjson.Array(connections))
		}
		rows[i] = each.first.Encode()
	}
	return rawjson.Array(rows)
}

// streams lists the streams of every source. Each row has the connection of its source (R-SCH-9), and its grant and provider if there are
// several. A warning names each source that did not answer.
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
			if !r.claimsOther(each, own...) { // the other source lists it
				rows = append(rows, r.listed(source, each, severalGrants))
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
func (r *Reader) listed(source *Source, sent rawjson.Value, severalGrants bool) rawjson.Value {
	row, _ := rawjson.ParseObject(sent)
	if source.ConnectionID != "" && !source.Shared && row.Get("connection_id") == nil {
		row = row.With("connection_id", rawjson.Quote(source.ConnectionID))
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
