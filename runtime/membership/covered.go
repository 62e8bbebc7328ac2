package membership

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// coverage has the connections of a grant with their streams.
type coverage []fanout.Source

// add adds a stream of a connection.
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
	document, err := schemadoc.Read(schema)
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

// approvedOf returns the coverage of a grant by its approval in the cache, or nil if the approval does not name every connection and
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

// connectAgain returns the command line that requests the same grant again.
func (m *Membership) connectAgain(p *provider, entry *credential.Entry) string {
	return entry.Credential.SameRequest().Connect(p.url, m.options.Cache.NamedRoot())
}

// connect returns the command line that requests uncovered data. It names the connector if a grant has the connection. For a grant that must
// be approved again, it names everything that was approved.
func (m *Membership) connect(grants []*grant, wanted tool.Uncovered) string {
	asked := commandline.Wanted{
		Connections: []string{wanted.ConnectionID}, Streams: []string{wanted.Stream}, Fields: []string{wanted.Field},
	}
	url := ""
	if len(m.providers) == 1 {
		url = m.providers[0].url
	}
	for _, each := range grants {
		source, isKnown := each.sourceOf(wanted.ConnectionID)
		if wanted.Stream == "" && (isKnown || len(grants) == 1) {
			return m.connectAgain(each.provider, each.stored())
		}
		if isKnown {
			asked.Source, url = source, each.provider.url
		}
	}
	if source, provider := onlySourceOf(grants, wanted.Stream); asked.Source == "" && source != "" {
		asked.Source, url = source, provider
	}
	return asked.Connect(url, m.options.Cache.NamedRoot())
}

// onlySourceOf returns the connector and the provider of an approved stream, or nothing if there are several. An unknown connection is
// probably another account of that connector.
func onlySourceOf(grants []*grant, stream string) (source, provider string) {
	for _, each := range grants {
		for _, approved := range each.stored().Credential.Approved() {
			if approved.Stream != stream || approved.Source == source && each.provider.url == provider {
				continue
			}
			if source != "" {
				return "", ""
			}
			source, provider = approved.Source, each.provider.url
		}
	}
	return source, provider
}

// sourceOf returns the approved connector of a connection, which may be empty, and whether the grant has the connection.
func (g *grant) sourceOf(connectionID string) (source string, isKnown bool) {
	if connectionID == "" {
		return "", false
	}
	for _, each := range g.stored().Credential.Approved() {
		if slices.Contains(each.Connections, connectionID) {
			return each.Source, true
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return "", slices.ContainsFunc(g.covered, func(s fanout.Source) bool { return s.ConnectionID == connectionID })
}
