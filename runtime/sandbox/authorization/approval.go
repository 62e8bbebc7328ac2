package authorization

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/sandbox/authorization/flow"
	"github.com/pdppmcp/pdpp-mcp/runtime/sandbox/catalog"
)

// everyStream is the name that stands for all streams of a source.
const everyStream = "*"

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

// CheckDetail refuses a detail about a connector, stream, field, connection or time that does not exist.
func (s *Server) CheckDetail(raw json.RawMessage) error {
	detail, err := decodeDetail(raw)
	if err != nil {
		return err
	}
	connector := s.connector(connectorKey(detail.Source))
	if len(connector.Streams) == 0 {
		return fmt.Errorf("unknown source %q; leave authorization_details out to have the owner choose", detail.Source.ID)
	}
	if len(detail.Streams) == 0 {
		return fmt.Errorf(`streams is required; send [{"name":"*"}] for all streams of %s`, connector.Key)
	}
	for _, asked := range detail.Streams {
		if err := s.checkStream(connector, asked); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) checkStream(connector catalog.Connector, asked detailedStream) error {
	declared := streamsNamed(connector, asked.Name)
	if len(declared) == 0 {
		return fmt.Errorf("unknown stream %q of %s", asked.Name, connector.Key)
	}
	for _, field := range asked.Fields {
		if asked.Name == everyStream || !slices.ContainsFunc(declared[0].Fields, func(f catalog.Field) bool { return f.Name == field }) {
			return fmt.Errorf("unknown field %q of stream %q", field, asked.Name)
		}
	}
	for _, id := range asked.InstanceIDs {
		if s.connection(id).ConnectorKey != connector.Key {
			return fmt.Errorf("unknown connection %q of %s", id, connector.Key)
		}
	}
	_, _, err := asked.TimeConstraint.bounds()
	return err
}

// Choices lists connections in the order in which the data declares them.
func (s *Server) Choices(details []json.RawMessage) []flow.Choice {
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
func (s *Server) Approve(approval flow.Approval) (flow.Approved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := grantPackage{id: randomID("gpkg_"), clientID: approval.ClientID, clientName: approval.ClientName}
	var last catalog.Grant
	for _, connectionID := range approval.ConnectionIDs {
		last = s.approvableGrant(s.connection(connectionID), approval.Details)
		last.ID, last.ClientID = randomID("grt_"), approval.ClientID
		s.grants[last.ID] = last
		s.approvedAt[last.ID] = s.clock()
		p.members = append(p.members, packageMember{grantID: last.ID, connectionID: connectionID})
	}
	if len(p.members) == 1 {
		return s.approvedGrant(last)
	}
	for i, member := range p.members {
		p.members[i].token = randomToken()
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

// decodeDetail reads what a client asks for. Its source is always there.
func decodeDetail(raw json.RawMessage) (authorizationDetail, error) {
	var detail authorizationDetail
	if err := json.Unmarshal(raw, &detail); err != nil {
		return detail, fmt.Errorf("decode an authorization detail: %w", err)
	}
	if detail.Source == nil || detail.Source.Kind != "connector" {
		return detail, fmt.Errorf(`source is required, as in {"kind":"connector","id":"…/connectors/gmail"}`)
	}
	return detail, nil
}

// connectorKey is the end of a source's URL: registries name the same connector by other URLs.
func connectorKey(from *source) string { return from.ID[strings.LastIndex(from.ID, "/")+1:] }

// streamsNamed finds the streams that a name or everyStream stands for.
func streamsNamed(connector catalog.Connector, name string) []catalog.Stream {
	if name == everyStream {
		return connector.Streams
	}
	return slices.DeleteFunc(slices.Clone(connector.Streams), func(stream catalog.Stream) bool { return stream.Name != name })
}

// bounds reads the times of a constraint, which may be absent.
func (c *timeConstraint) bounds() (since, until time.Time, err error) {
	if c == nil {
		return since, until, nil
	}
	for _, bound := range []struct {
		text string
		at   *time.Time
	}{{c.Since, &since}, {c.Until, &until}} {
		if bound.text == "" {
			continue
		}
		if *bound.at, err = time.Parse(time.RFC3339, bound.text); err != nil {
			return since, until, fmt.Errorf("time_constraint: %q is no RFC 3339 time: %w", bound.text, err)
		}
	}
	return since, until, nil
}
