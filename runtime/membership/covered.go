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

// coverage is the connections of a grant, in the order in which they are named, with the streams of each.
type coverage []fanout.Source

// add notes a stream of a connection.
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

// coveredBy reads a grant's own schema. It is not nil: a grant that covers nothing has one source without streams.
func coveredBy(schema *rs.Response) coverage {
	var found coverage
	document, err := schemadoc.Read(schema)
	if err != nil {
		return coverage{{}} // its resource server decides
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

// approvedOf is what the cache says of a grant. It is nil unless that names every connection and stream.
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

// again is the command line that has a grant approved once more, as it was.
func (m *Membership) again(p *provider, entry *credential.Entry) string {
	return entry.Credential.Again().Connect(p.url, m.options.Cache.NamedRoot())
}

// signIn is the command line that gets another credential of a provider.
func (m *Membership) signIn(p *provider) string {
	return commandline.Connect(p.url, m.options.Cache.NamedRoot())
}

// connect is the command line that asks for what no grant covers. It names the connector where a grant has the connection, and
// all that was approved of a grant that is to be approved once more.
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
			return m.again(each.provider, each.stored())
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

// onlySourceOf is the connector for which a stream was approved, and its provider, when it is the only one: a connection that no
// grant has is most likely another of its accounts.
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

// sourceOf is the connector of a connection as the provider names it, when it was approved, and whether the grant has it.
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
