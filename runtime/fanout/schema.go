package fanout

import (
	"cmp"
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// schema merges the documents of every source that may have the stream (R-PKG-7). If no source has it, the document is empty
// (rs-contract.md).
func (r *Reader) schema(ctx context.Context, request rs.Request, wanted rs.SchemaOfSources) (*rs.Response, error) {
	streams := streamsOf(wanted.Stream)
	merged := document{byContent: map[string]*merged{}}
	response, warnings, err := r.gather(ctx, request, r.granting(streams), r.ended(streams), merged.add)
	if err != nil {
		return nil, err
	}
	return response.WithMembers(merged.encode(target(request), warnings)), nil
}

// document is a merged schema document.
type document struct {
	answered   int
	compact    int // answers in the compact view
	connectors []*merged
	byContent  map[string]*merged // by the encoded connector without its connections
	warnings   []rawjson.Value
}

// add adds the connectors of one source's document.
func (d *document) add(ctx context.Context, source *Source, response *rs.Response) error {
	sent, err := schemadoc.Read(response)
	if err != nil {
		return err
	}
	for _, connector := range sent.Connectors {
		if err := callEnded(ctx); err != nil {
			return err
		}
		d.connect(source.connected(connector), len(connector.Streams))
	}
	d.answered++
	if sent.Members.Text("detail") == "compact" {
		d.compact++
	}
	meta, _ := rawjson.ParseObject(sent.Members.Get("meta"))
	warnings, _ := rawjson.Elements(meta.Get("warnings"))
	d.warnings = append(d.warnings, warnings...)
	return nil
}

// connected returns a connector with its connections. The default is the source's connection.
func (s *Source) connected(connector *schemadoc.Connector) rawjson.Object {
	sent, ok := rawjson.ParseObject(connector.Row)
	if !ok {
		sent = s.connectorOf(connector)
	}
	if s.ConnectionID == "" || s.Shared || len(connector.Connections) > 0 {
		return sent
	}
	connection := rawjson.Object{rawjson.String("connection_id", s.ConnectionID)}
	if s.DisplayName != "" {
		connection = append(connection, rawjson.String("display_name", s.DisplayName))
	}
	return sent.With("granted_connections", rawjson.Array([]rawjson.Value{connection.Encode()}))
}

// connectorOf builds a connector for streams that the server sent without one.
func (s *Source) connectorOf(streams *schemadoc.Connector) rawjson.Object {
	rows := make([]rawjson.Value, len(streams.Streams))
	for i, stream := range streams.Streams {
		rows[i] = stream.Row
	}
	connector := rawjson.Object{rawjson.Raw("streams", rawjson.Array(rows))}
	if key := cmp.Or(streams.Key, s.ConnectorKey); key != "" {
		connector = append(connector, rawjson.String("connector_key", key))
	}
	return connector
}

// merged is a connector with the connections of every connector that is otherwise equal.
type merged struct {
	first       rawjson.Object
	streams     int
	connections []rawjson.Value
}

// connect adds a connector. It merges connectors that differ only in their connections. Others stay separate even with the same key, because
// their grants may differ in any field.
func (d *document) connect(connector rawjson.Object, streams int) {
	added := &merged{first: connector, streams: streams}
	if added.connections, _ = rawjson.Elements(connector.Get("granted_connections")); len(added.connections) > 0 {
		rest := string(connector.Without("granted_connections").Encode())
		if earlier, isKnown := d.byContent[rest]; isKnown {
			earlier.connections = append(earlier.connections, added.connections...)
			return
		}
		d.byContent[rest] = added
	}
	d.connectors = append(d.connectors, added)
}

// object returns the connector with all connections, each once.
func (m *merged) object() rawjson.Object {
	if len(m.connections) == 0 {
		return m.first
	}
	ids := map[string]bool{}
	return m.first.With("granted_connections", rawjson.Array(keep(m.connections, func(row rawjson.Value) bool {
		connection, _ := rawjson.ParseObject(row)
		id := connection.Text("connection_id")
		isKnown := id != "" && ids[id]
		ids[id] = true
		return !isKnown
	})))
}

// encode returns the document in the form that one source sends to a package token. Warnings about missing sources come first.
func (d *document) encode(self string, missing []rawjson.Value) rawjson.Object {
	connectors, streams := []rawjson.Value{}, 0
	for _, connector := range d.connectors {
		streams += connector.streams
		connectors = append(connectors, connector.object().Encode())
	}
	body := rawjson.Object{rawjson.String("object", "schema")}
	if d.answered > 0 && d.compact == d.answered {
		body = append(body, rawjson.String("detail", "compact"))
	}
	bearer := rawjson.Object{rawjson.String("token_kind", "mcp_package")}
	return append(
		body,
		rawjson.Raw("bearer", bearer.Encode()),
		rawjson.Raw("connectors", rawjson.Array(connectors)),
		rawjson.Int("connector_count", int64(len(connectors))),
		rawjson.Int("stream_count", int64(streams)),
		rawjson.Raw("meta", rawjson.Object{rawjson.Raw("warnings", rawjson.Array(append(missing, d.warnings...)))}.Encode()),
		rawjson.Raw("links", rawjson.Object{rawjson.String("self", self)}.Encode()),
	)
}

// streams lists the streams of every source. Each row has the connection of its source (R-SCH-9), and its grant and provider if there are
// several. A warning names each source that did not answer.
func (r *Reader) streams(ctx context.Context, request rs.Request) (*rs.Response, error) {
	rows := []rawjson.Value{}
	severalGrants := len(oneOfEach(r.active))+len(r.inactive) > 1
	response, warnings, err := r.gather(ctx, request, r.active, r.ended(nil), func(ctx context.Context, source *Source, response *rs.Response) error {
		list, err := response.List()
		own := keep(r.active, source.sharesWith)
		for _, each := range list.Rows {
			if err := callEnded(ctx); err != nil {
				return err
			}
			if !claims(each, r.connections, own) { // the other source lists it
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
		body = append(body, rawjson.Raw("meta", rawjson.Object{rawjson.Raw("warnings", rawjson.Array(warnings))}.Encode()))
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
