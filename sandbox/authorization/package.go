package authorization

import "time"

// grantPackage joins grants of several sources under one token. A hosted adapter asks introspection
// for the members and reads each with its own token.
type grantPackage struct {
	id         string
	clientID   string
	clientName string // for people
	members    []packageMember
	revoked    bool
}

type packageMember struct {
	grantID      string
	connectionID string
	token        string
}

// Member is one source of a package as introspection publishes it.
type Member struct {
	GrantID      string   `json:"grant_id"`
	Status       string   `json:"status"` // active, revoked or expired
	ConnectionID string   `json:"connection_id"`
	ConnectorKey string   `json:"connector_key"`
	DisplayName  string   `json:"display_name"`
	Streams      []string `json:"streams"`
	AccessToken  string   `json:"access_token"`

	// AuthorizationDetails is what the grant of the member allows.
	AuthorizationDetails []authorizationDetail `json:"authorization_details,omitempty"`
}

// issuePackage makes a package with one grant and one token for each connection, and returns its id.
// The members' tokens are not listed by name.
func (s *Server) issuePackage(name string, connectionIDs ...string) string {
	p := grantPackage{id: stableID("gpkg_", name), clientID: packageClient, clientName: "Sandbox MCP client"}
	for _, connectionID := range connectionIDs {
		memberName := name + "/" + connectionID
		connectorKey := s.connection(connectionID).ConnectorKey
		var streams []string
		if connectorKey == "gmail" {
			streams = mailStreams
		}
		g := s.connectorGrant(connectorKey, streams, connectionID)
		g.ClientID = packageClient
		grantID, token := s.issue(memberName, g)
		delete(s.tokens, memberName)
		p.members = append(p.members, packageMember{grantID: grantID, connectionID: connectionID, token: token})
	}
	s.packages[p.id] = p
	s.addBearer(name, bearer{
		kind: kindPackage, clientID: packageClient, packageID: p.id,
		expiresAt: s.started.Add(lifetime),
	})
	return p.id
}

// Members returns the members of a ready package by the package token's name, none if there is no
// such package.
func (s *Server) Members(name string) []Member {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.members(s.packages[s.bearers[s.tokens[name]].packageID])
}

func (s *Server) members(p grantPackage) []Member {
	published := make([]Member, len(p.members))
	for i, m := range p.members {
		g := s.grants[m.grantID]
		connection := s.connection(m.connectionID)
		published[i] = Member{
			GrantID:      m.grantID,
			Status:       grantStatus(g.Revoked, g.ExpiresAt, s.clock()),
			ConnectionID: m.connectionID,
			ConnectorKey: g.ConnectorKey,
			DisplayName:  connection.DisplayName,
			AccessToken:  m.token,

			AuthorizationDetails: s.authorizationDetails(g),
		}
		for _, stream := range g.Streams {
			published[i].Streams = append(published[i].Streams, stream.Name)
		}
	}
	return published
}

func grantStatus(revoked bool, expiresAt, now time.Time) string {
	switch {
	case revoked:
		return "revoked"
	case !expiresAt.IsZero() && !now.Before(expiresAt):
		return "expired"
	}
	return "active"
}
