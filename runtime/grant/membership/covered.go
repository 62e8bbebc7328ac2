package membership

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// coverage has the connections of a grant with their streams.
type coverage []fanout.Source

func (c *coverage) add(of fanout.Source, stream string) {
	i := slices.IndexFunc(*c, func(each fanout.Source) bool { return each.ConnectionID == of.ConnectionID })
	if i < 0 {
		i = len(*c)
		*c = append(*c, of)
	}
	if known := &(*c)[i].Streams; !slices.Contains(*known, stream) {
		*known = append(*known, stream)
	}
}

// coveredBy returns the coverage of a grant by its schema. A grant that covers nothing has one source without streams.
func coveredBy(schema *rs.Response) coverage {
	var found coverage
	document, err := schemaquery.Read(schema)
	if err != nil {
		return coverage{{}} // the resource server decides
	}
	for connector, stream := range document.Rows() {
		connections := connector.ConnectionsOf(stream)
		if len(connections) == 0 {
			connections = []schemadoc.Connection{{}}
		}
		for _, each := range connections {
			found.add(fanout.Source{ConnectionID: each.ID, ConnectorKey: connector.Key, DisplayName: each.Label}, stream.Name)
		}
	}
	if found == nil {
		return coverage{{Streams: []string{}}}
	}
	return found
}

// approvedOf returns the coverage of a grant by its approval, or nil if the approval does not name every connection and
// stream.
func approvedOf(stored credential.Credential) coverage {
	var found coverage
	for _, each := range stored.Approved() {
		if len(each.Connections) == 0 || each.Stream == "*" {
			return nil
		}
		for _, id := range each.Connections {
			found.add(fanout.Source{ConnectionID: id, ConnectorKey: each.ConnectorKey()}, each.Stream)
		}
	}
	return found
}

// limitsOf returns the limits of a grant's streams by its approval, for one connection.
func limitsOf(streams []granted.Stream, connectionID string) map[string]granted.Limit {
	limits := map[string]granted.Limit{}
	for _, each := range streams {
		if len(each.Connections) == 0 || slices.Contains(each.Connections, connectionID) {
			limits[each.Name] = each.Limit
		}
	}
	return limits
}

// connectAgain returns the command line that requests the same grant again.
func (m *Membership) connectAgain(entry *credential.Entry) string {
	return entry.Credential.SameRequest().Connect(entry.ProviderURL, m.options.Cache.NamedRoot())
}

// connect returns the command line that requests uncovered data of a connector. An unknown connection is probably
// another account of the only connector with the stream.
func (m *Membership) connect(grants []*grant, wanted tool.Uncovered) string {
	type origin struct{ connector, provider string }
	var known origin
	var offering []origin // the connectors with the stream
	if len(m.providers) == 1 {
		known.provider = m.providers[0].url
	}
	for _, each := range grants {
		entry := each.stored()
		if each.hasConnection(wanted.ConnectionID) {
			known = origin{provider: each.provider.url}
		}
		for _, approved := range entry.Credential.Approved() {
			one := origin{approved.Source, each.provider.url}
			if wanted.ConnectionID != "" && slices.Contains(approved.Connections, wanted.ConnectionID) {
				known = one
			}
			if approved.Stream == wanted.Stream && approved.Source != "" && !slices.Contains(offering, one) {
				offering = append(offering, one)
			}
		}
	}
	if known.connector == "" && len(offering) == 1 {
		known = offering[0]
	}
	asked := commandline.Wanted{
		Source: known.connector, Connections: []string{wanted.ConnectionID}, Streams: []string{wanted.Stream}, Fields: []string{wanted.Field},
	}
	return asked.Connect(known.provider, m.options.Cache.NamedRoot())
}

// hasConnection reports whether the grant is known to cover a connection.
func (g *grant) hasConnection(id string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return id != "" && slices.ContainsFunc(g.covered, func(s fanout.Source) bool { return s.ConnectionID == id })
}
