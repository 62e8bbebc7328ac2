package authorization

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/flow"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/opaque"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// grantDocument is a grant as its client sees it.
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

// CheckInstances refuses details that do not determine their connections, as real servers do when the owner opens the
// request: there must be one detail, and it may omit instance_ids only if exactly one connection fits.
func (s keeper) CheckInstances(details []json.RawMessage) error {
	if len(details) > 1 && !s.ownersChoice {
		return &flow.DetailError{Code: "invalid_request", Message: "Approval review could not be finalized"}
	}
	for _, raw := range details {
		detail, err := decodeDetail(raw)
		if err != nil {
			return err
		}
		key := connectorKey(detail.Source)
		eligible := s.connectionIDs(key)
		for _, asked := range detail.Streams {
			if asked.InstanceIDs == nil {
				if len(eligible) == 1 || s.ownersChoice {
					continue
				}
				return &flow.DetailError{Code: "source.authorization_details_invalid", Message: fmt.Sprintf(
					"Omitted instance_ids requires exactly one eligible instance for stream '%s', found %d",
					streamsNamed(s.connector(key), asked.Name)[0].Name, len(eligible))}
			}
			for _, id := range *asked.InstanceIDs {
				switch of := s.connection(id).ConnectorKey; of {
				case key:
				case "":
					return &flow.DetailError{
						Code:    "connector_instance_not_found",
						Message: fmt.Sprintf("Connector instance '%s' does not exist.", id),
					}
				default:
					return &flow.DetailError{Code: "connector_instance_connector_mismatch", Message: fmt.Sprintf(
						"Connector instance '%s' belongs to connector '%s', not '%s'.", id, of, key)}
				}
			}
		}
	}
	return nil
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
			ConnectionID: connection.ID, DisplayName: connection.DisplayName,
			Connector: s.connector(connection.ConnectorKey).Name,
			Asked:     len(details) > 0,
		}
		for _, stream := range g.Streams {
			choice.Streams = append(choice.Streams, describe(stream))
		}
		choices = append(choices, choice)
	}
	return choices
}

// describe returns a stream's name and the limits of its grant, for people.
func describe(granted catalog.StreamGrant) string {
	var limits []string
	if granted.Fields != nil {
		limits = append(limits, "only "+strings.Join(granted.Fields, ", "))
	}
	if !granted.Since.IsZero() {
		limits = append(limits, "from "+granted.Since.Format(time.DateOnly))
	}
	if !granted.Until.IsZero() {
		limits = append(limits, "before "+granted.Until.Format(time.DateOnly))
	}
	if granted.Resources != nil {
		limits = append(limits, fmt.Sprintf("%d records", len(granted.Resources)))
	}
	if limits == nil {
		return granted.Name
	}
	return granted.Name + " (" + strings.Join(limits, "; ") + ")"
}

// approvableGrant returns a grant of what details request from a connection, or of all of it without details.
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
		g.AccessMode, g.PurposeCode, g.PurposeDescription = detail.AccessMode, *detail.PurposeCode, detail.PurposeDescription
		for _, asked := range detail.Streams {
			if asked.InstanceIDs != nil && !slices.Contains(*asked.InstanceIDs, connection.ID) {
				continue
			}
			for _, declared := range streamsNamed(s.connector(connection.ConnectorKey), asked.Name) {
				if slices.ContainsFunc(g.Streams, func(granted catalog.StreamGrant) bool { return granted.Name == declared.Name }) {
					continue // the first detail about a stream counts
				}
				g.Streams = append(g.Streams, asked.grantedStream(declared, connection.ID))
			}
		}
	}
	return g
}

// Approve makes one grant of what a client requested of one connector, on all connections that the owner chose; else a
// grant for each connection, and a package if there are several.
func (s keeper) Approve(approval flow.Approval) (flow.Approved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := grantPackage{id: opaque.ID("gpkg_"), clientID: approval.ClientID, clientName: approval.ClientName}
	var last catalog.Grant
	for _, connectionID := range approval.ConnectionIDs {
		asked := s.approvableGrant(s.connection(connectionID), approval.Details)
		if len(approval.Details) > 0 && len(p.members) == 1 && asked.ConnectorKey == last.ConnectorKey {
			last.Streams = joined(last.Streams, asked.Streams)
			s.grants[last.ID] = last
			continue
		}
		last = asked
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

// joined returns the streams of a grant on one more connection.
func joined(streams, more []catalog.StreamGrant) []catalog.StreamGrant {
	streams = slices.Clone(streams)
	for _, stream := range more {
		if i := slices.IndexFunc(streams, func(s catalog.StreamGrant) bool { return s.Name == stream.Name }); i >= 0 {
			streams[i].ConnectionIDs = slices.Concat(streams[i].ConnectionIDs, stream.ConnectionIDs)
		} else {
			streams = append(streams, stream)
		}
	}
	return streams
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
		Source: s.source(g.ConnectorKey), Declaration: sourceDeclaration{Version: declarationVersion},
		Streams: granted[0].Streams,
		Subject: subject{ID: subjectID}, Version: "0.1.0",
	})
	if err != nil {
		return flow.Approved{}, fmt.Errorf("encode grant %s: %w", g.ID, err)
	}
	return flow.Approved{GrantID: g.ID, Details: details, Document: document, SingleUse: g.AccessMode == singleUse}, nil
}
