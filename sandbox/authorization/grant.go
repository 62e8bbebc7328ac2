package authorization

import (
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// Client ids of the ready grants.
const (
	sandboxClient = "pdpp_sandbox_client"
	packageClient = "pdpp_sandbox_mcp_client"
	ownerClient   = "pdpp_sandbox_owner"
)

// lifetime of package and owner tokens; client tokens live as long as their grant.
const lifetime = 30 * 24 * time.Hour

// mailStreams are the streams of the mail grants. They omit labels, so that clients can meet a stream that exists but
// is not granted.
var mailStreams = []string{"messages", "message_bodies", "attachments", "threads"}

// issueReadyGrants makes a grant for every case that a client can meet.
func (s *Server) issueReadyGrants() {
	s.addBearer("owner", bearer{kind: kindOwner, clientID: ownerClient, expiresAt: s.started.Add(lifetime)})
	s.issue("everything", s.wholeGrant())
	s.issue("gmail_personal", s.connectorGrant("gmail", mailStreams, "cin_gmail_personal"))
	s.issue("gmail_both", s.connectorGrant("gmail", mailStreams, "cin_gmail_personal", "cin_gmail_work"))
	s.issue("spotify", s.connectorGrant("spotify", nil, "cin_spotify"))
	s.issue("slack", s.connectorGrant("slack", nil, "cin_slack_team"))
	s.issue("narrow", narrowGrant())
	for name, grant := range s.further {
		s.issue(name, grant)
	}

	revoked := s.connectorGrant("gmail", mailStreams, "cin_gmail_personal")
	revoked.Revoked = true
	s.issue("revoked", revoked)
	expired := s.connectorGrant("gmail", mailStreams, "cin_gmail_personal")
	expired.ExpiresAt = s.started.Add(-24 * time.Hour)
	s.issue("expired", expired)

	s.issuePackage("package", "cin_gmail_personal", "cin_gmail_work", "cin_spotify", "cin_slack_team", "cin_github",
		"cin_calendar", "cin_fjordbank")
	s.issuePackage("package_single", "cin_gmail_personal")
	_ = s.Revoke(s.issuePackage("package_revoked", "cin_gmail_personal", "cin_spotify")) // just issued
}

// issue stores a grant under an id derived from its name, with a client token, and returns both.
func (s *Server) issue(name string, g catalog.Grant) (id, token string) {
	g.ID = stableID("grt_", name)
	if g.ClientID == "" {
		g.ClientID = sandboxClient
	}
	s.grants[g.ID] = g
	return g.ID, s.addBearer(name, bearer{kind: kindClient, clientID: g.ClientID, grantID: g.ID, expiresAt: g.ExpiresAt})
}

// addBearer makes a token and lists it by name.
func (s *Server) addBearer(name string, b bearer) string {
	token := s.newToken(name)
	s.bearers[token] = b
	s.tokens[name] = token
	return token
}

// connectorGrant covers streams (nil: all that are declared) of connections of one connector.
func (s *Server) connectorGrant(connectorKey string, streams []string, connectionIDs ...string) catalog.Grant {
	if streams == nil {
		for _, stream := range s.connector(connectorKey).Streams {
			streams = append(streams, stream.Name)
		}
	}
	g := catalog.Grant{ConnectorKey: connectorKey}
	for _, name := range streams {
		g.Streams = append(g.Streams, catalog.StreamGrant{Name: name, ConnectionIDs: connectionIDs})
	}
	return g
}

// wholeGrant covers every stream of every connection. No real PDPP grant spans connectors; in the
// sandbox one token for all of the data is what makes the first try easy.
func (s *Server) wholeGrant() catalog.Grant {
	whole := catalog.Grant{}
	for _, connector := range s.set.Connectors {
		part := s.connectorGrant(connector.Key, nil, s.connectionIDs(connector.Key)...)
		whole.Streams = append(whole.Streams, part.Streams...)
	}
	return whole
}

// narrowGrant covers four fields of one stream in three weeks.
func narrowGrant() catalog.Grant {
	return catalog.Grant{ConnectorKey: "gmail", Streams: []catalog.StreamGrant{{
		Name:          "messages",
		ConnectionIDs: []string{"cin_gmail_personal"},
		Fields:        []string{"id", "thread_id", "subject", "received_at"},
		Since:         time.Date(2026, time.January, 10, 0, 0, 0, 0, time.UTC),
		Until:         time.Date(2026, time.February, 1, 0, 0, 0, 0, time.UTC),
	}}}
}

func (s *Server) connector(key string) catalog.Connector {
	for _, c := range s.set.Connectors {
		if c.Key == key {
			return c
		}
	}
	return catalog.Connector{Key: key}
}

func (s *Server) connection(id string) catalog.Connection {
	for _, c := range s.set.Connections {
		if c.ID == id {
			return c
		}
	}
	return catalog.Connection{ID: id}
}

func (s *Server) connectionIDs(connectorKey string) []string {
	var ids []string
	for _, c := range s.set.Connections {
		if c.ConnectorKey == connectorKey {
			ids = append(ids, c.ID)
		}
	}
	return ids
}
