package authorization

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/flow"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/opaque"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// grantDocument is a grant as its client gets to see it.
type grantDocument struct {
	AccessMode         string            `json:"access_mode"`
	Client             grantClient       `json:"client"`
	ExpiresAt          *string           `json:"expires_at"`
	GrantID            string            `json:"grant_id"`
	IssuedAt           string            `json:"issued_at"`
	PurposeCode        string            `json:"purpose_code"`
	PurposeDescription string            `json:"purpose_description"`
	Source             *source           `json:"source"`
	Declaration        sourceDeclaration `json:"source_declaration"`
	Streams            []detailedStream  `json:"streams"`
	Subject            subject           `json:"subject"`
	Version            string            `json:"version"`
}

type grantClient struct {
	ClientID string `json:"client_id"`
}

// Choices lists connections in the order in which the data declares them.
func (s keeper) Choices(details []json.RawMessage) []flow.Choice {
	var choices []flow.Choice
	for _, connection := range s.set.Connections {
		g := s.approvableGrant(connection, details)
		if len(g.Streams) == 0 {
			continue
		}
		choice := flow.Choice{
			ConnectionID: connection.ID, DisplayName: connection.DisplayName, Connector: s.connector(connection.ConnectorKey).Name,
		}
		for _, stream := range g.Streams {
			choice.Streams = append(choice.Streams, stream.Name)
		}
		choices = append(choices, choice)
	}
	return choices
}

// approvableGrant covers of a connection what details ask for, or all of it when there are none.
func (s *Server) approvableGrant(connection catalog.Connection, details []json.RawMessage) catalog.Grant {
	if len(details) == 0 {
		return s.connectorGrant(connection.ConnectorKey, nil, connection.ID)
	}
	g := catalog.Grant{ConnectorKey: connection.ConnectorKey}
	for _, raw := range details {
		detail, err := decodeDetail(raw)
		if err != nil || connectorKey(detail.Source) != connection.ConnectorKey {
			continue
		}
		for _, asked := range detail.Streams {
			if len(asked.InstanceIDs) > 0 && !slices.Contains(asked.InstanceIDs, connection.ID) {
				continue
			}
			since, until, _ := asked.TimeConstraint.bounds() // CheckDetail has refused what cannot be read
			for _, declared := range streamsNamed(s.connector(connection.ConnectorKey), asked.Name) {
				if slices.ContainsFunc(g.Streams, func(granted catalog.StreamGrant) bool { return granted.Name == declared.Name }) {
					continue // the first detail about a stream counts
				}
				g.Streams = append(g.Streams, catalog.StreamGrant{
					Name: declared.Name, ConnectionIDs: []string{connection.ID}, Fields: asked.Fields, Since: since, Until: until,
				})
			}
		}
	}
	return g
}

// Approve makes a grant with an id of its own for each connection, and a package when there are several.
func (s keeper) Approve(approval flow.Approval) (flow.Approved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := grantPackage{id: opaque.ID("gpkg_"), clientID: approval.ClientID, clientName: approval.ClientName}
	var last catalog.Grant
	for _, connectionID := range approval.ConnectionIDs {
		last = s.approvableGrant(s.connection(connectionID), approval.Details)
		last.ID, last.ClientID = opaque.ID("grt_"), approval.ClientID
		s.grants[last.ID] = last
		s.approvedAt[last.ID] = s.clock()
		p.members = append(p.members, packageMember{grantID: last.ID, connectionID: connectionID})
	}
	if len(p.members) == 1 {
		return s.approvedGrant(last)
	}
	for i, member := range p.members {
		p.members[i].token = opaque.Text()
		s.bearers[p.members[i].token] = bearer{kind: kindClient, clientID: approval.ClientID, grantID: member.grantID}
	}
	s.packages[p.id] = p
	return flow.Approved{PackageID: p.id}, nil
}

func (s *Server) approvedGrant(g catalog.Grant) (flow.Approved, error) {
	granted := s.authorizationDetails(g)
	details, err := json.Marshal(granted)
	if err != nil {
		return flow.Approved{}, fmt.Errorf("encode the details of grant %s: %w", g.ID, err)
	}
	document, err := json.Marshal(grantDocument{
		AccessMode: granted[0].AccessMode, Client: grantClient{g.ClientID}, GrantID: g.ID,
		IssuedAt: s.issuedAt(g.ID), PurposeCode: granted[0].PurposeCode, PurposeDescription: granted[0].PurposeDescription,
		Source: s.source(g.ConnectorKey), Declaration: sourceDeclaration{Version: declarationVersion}, Streams: granted[0].Streams,
		Subject: subject{ID: subjectID}, Version: "0.1.0",
	})
	if err != nil {
		return flow.Approved{}, fmt.Errorf("encode grant %s: %w", g.ID, err)
	}
	return flow.Approved{GrantID: g.ID, Details: details, Document: document}, nil
}
