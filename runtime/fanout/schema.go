package fanout

import (
	"context"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// schema asks every source that may have the stream and merges their documents (R-PKG-7). When none has it,
// the document is empty, as that of one source is (rs-contract.md).
func (r *Reader) schema(ctx context.Context, request rs.Request, wanted rs.SchemaOfSources) (*rs.Response, error) {
	streams := streamsOf(wanted.Stream)
	deadline := time.Now().Add(r.options.ChildTimeout)
	var questions []question
	for _, source := range r.granting(streams) {
		questions = append(questions, question{source: source, request: request, deadline: deadline})
	}
	answers, err := r.ask(ctx, questions)
	if err != nil {
		return nil, err
	}
	merged := document{}
	response := &rs.Response{Status: 200, URL: r.url(request), Request: request}
	for i, answer := range answers {
		source := questions[i].source
		err := answer.err
		if err == nil {
			err = merged.add(source, answer.response)
		}
		if err != nil {
			merged.missing = append(merged.missing, absence{source: source, err: err})
		} else if response.RequestID == "" {
			response.RequestID = answer.response.RequestID
		}
	}
	ended := keep(r.inactive, func(s *Source) bool { return s.grantsAny(streams) })
	for _, source := range ended {
		merged.ended = append(merged.ended, absence{source: source})
	}
	if len(questions) > 0 && len(merged.missing) == len(questions) {
		return nil, r.failed(append(merged.missing, merged.ended...), response.URL)
	}
	response.Body = merged.encode(target(request))
	return response, nil
}

// document is a schema document of several sources in the making.
type document struct {
	answered   int
	compact    int // of the documents that were added
	connectors []*merged
	alike      map[string]*merged // by what a connector says beside its connections
	warnings   []rawjson.Value
	missing    []absence
	ended      []absence
}

// add takes the connectors of one source's document. Older servers wrap the document in one more data
// object, or list streams without connectors.
func (d *document) add(source *Source, response *rs.Response) error {
	body, err := response.Object()
	if err != nil {
		return err
	}
	outer := body
	if inner, ok := rawjson.ParseObject(body.Get("data")); ok && !isSchema(body) {
		body = inner
	}
	if !isSchema(body) {
		return response.Unusable("the source's answer is not a schema: it has no connectors", nil)
	}
	rows, listed := rawjson.Elements(body.Get("connectors"))
	if !listed {
		rows = []rawjson.Value{source.connector(body.Get("streams")).Encode()}
	}
	for _, row := range rows {
		connector, ok := rawjson.ParseObject(row)
		if !ok {
			return response.Unusable("a connector of the source's schema is not an object", nil)
		}
		d.connect(source.connected(connector))
	}
	d.answered++
	if body.Text("detail") == "compact" {
		d.compact++
	}
	meta, _ := rawjson.ParseObject(outer.Get("meta"))
	sent, _ := rawjson.Elements(meta.Get("warnings"))
	d.warnings = append(d.warnings, sent...)
	return nil
}

func isSchema(body rawjson.Object) bool {
	return rawjson.Kind(body.Get("connectors")) == rawjson.ArrayValue || rawjson.Kind(body.Get("streams")) == rawjson.ArrayValue
}

// connector is the connector of streams that stand without one.
func (s *Source) connector(streams rawjson.Value) rawjson.Object {
	connector := rawjson.Object{rawjson.Raw("streams", streams)}
	if s.ConnectorKey != "" {
		connector = append(connector, rawjson.String("connector_key", s.ConnectorKey))
	}
	return connector
}

// connected is a connector that names its connection: what it says itself, else that of the grant.
func (s *Source) connected(connector rawjson.Object) rawjson.Object {
	if s.ConnectionID == "" || namesConnection(connector) {
		return connector
	}
	own := rawjson.Object{rawjson.String("connection_id", s.ConnectionID)}
	if s.DisplayName != "" {
		own = append(own, rawjson.String("display_name", s.DisplayName))
	}
	return connector.With("granted_connections", rawjson.Array([]rawjson.Value{own.Encode()}))
}

// namesConnection looks at the connector and at its streams, where some servers name connections.
func namesConnection(connector rawjson.Object) bool {
	if connections, _ := rawjson.Elements(connector.Get("granted_connections")); len(connections) > 0 || connector.Text("connection_id") != "" {
		return true
	}
	streams, _ := rawjson.Elements(connector.Get("streams"))
	for _, row := range streams {
		stream, _ := rawjson.ParseObject(row)
		if connections, _ := rawjson.Elements(stream.Get("granted_connections")); len(connections) > 0 || stream.Text("connection_id") != "" {
			return true
		}
	}
	return false
}

// merged is a connector, and the connections of those that became one with it.
type merged struct {
	first       rawjson.Object
	connections []rawjson.Value // nil: those that first has
	ids         map[string]bool // of connections
}

// connect adds a connector. One that differs from an earlier one in nothing but its connections becomes one
// with it, so that what is the same stands once. Others stay apart, also with the same key, because their
// grants may differ in any field; each keeps its own connections.
func (d *document) connect(connector rawjson.Object) {
	added := &merged{first: connector}
	if connections, _ := rawjson.Elements(connector.Get("granted_connections")); len(connections) > 0 {
		rest := string(connector.Without("granted_connections").Encode())
		if earlier, found := d.alike[rest]; found {
			earlier.unite(connections)
			return
		}
		if d.alike == nil {
			d.alike = map[string]*merged{}
		}
		d.alike[rest] = added
	}
	d.connectors = append(d.connectors, added)
}

// unite adds the connections of another connector, each once.
func (m *merged) unite(more []rawjson.Value) {
	if m.ids == nil {
		m.ids = map[string]bool{}
		own, _ := rawjson.Elements(m.first.Get("granted_connections"))
		m.unite(own)
	}
	for _, row := range more {
		connection, _ := rawjson.ParseObject(row)
		id := connection.Text("connection_id")
		if id == "" || !m.ids[id] {
			m.connections = append(m.connections, row)
		}
		m.ids[id] = true
	}
}

// object is the connector with all connections.
func (m *merged) object() rawjson.Object {
	if m.connections == nil {
		return m.first
	}
	return m.first.With("granted_connections", rawjson.Array(m.connections))
}

// encode writes the document as one source writes it, with the bearer that it was read with: the package's.
func (d *document) encode(self string) rawjson.Value {
	connectors, streams := []rawjson.Value{}, 0
	for _, connector := range d.connectors {
		rows, _ := rawjson.Elements(connector.first.Get("streams"))
		streams += len(rows)
		connectors = append(connectors, connector.object().Encode())
	}
	warnings := []rawjson.Value{}
	for _, each := range d.missing {
		warnings = append(warnings, each.warning(each.retryAlone()))
	}
	for _, each := range d.ended {
		warnings = append(warnings, each.warning(""))
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
		rawjson.Raw("meta", rawjson.Object{rawjson.Raw("warnings", rawjson.Array(append(warnings, d.warnings...)))}.Encode()),
		rawjson.Raw("links", rawjson.Object{rawjson.String("self", self)}.Encode()),
	).Encode()
}
