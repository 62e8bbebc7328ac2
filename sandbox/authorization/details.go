package authorization

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// detailsType is the authorization_details type of PDPP.
const detailsType = "https://pdpp.dev/data-access"

// authorizationDetail is one element of RFC 9396's authorization_details: what a grant allows of one
// source.
type authorizationDetail struct {
	AccessMode         string           `json:"access_mode"`
	PurposeCode        string           `json:"purpose_code"`
	PurposeDescription string           `json:"purpose_description"`
	Source             *source          `json:"source"`
	Streams            []detailedStream `json:"streams"`
	Type               string           `json:"type"`
}

type source struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
}

type detailedStream struct {
	Fields         []string        `json:"fields"`
	InstanceIDs    []string        `json:"instance_ids"`
	Name           string          `json:"name"`
	TimeConstraint *timeConstraint `json:"time_constraint,omitempty"`
	Resources      []string        `json:"resources,omitempty"`
}

type timeConstraint struct {
	Field string `json:"field"`
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"`
}

// source identifies a connector by a URL below the issuer, as real answers do.
func (s *Server) source(connectorKey string) *source {
	return &source{ID: s.issuer + "/connectors/" + connectorKey, Kind: "connector"}
}

// authorizationDetails returns one detail for each connector that the grant covers.
func (s *Server) authorizationDetails(g catalog.Grant) []authorizationDetail {
	var details []authorizationDetail
	for _, connector := range s.set.Connectors {
		detail := authorizationDetail{
			AccessMode:         cmp.Or(g.AccessMode, continuous),
			PurposeCode:        cmp.Or(g.PurposeCode, "https://pdpp.dev/purpose/personal_ai_assistant"),
			PurposeDescription: cmp.Or(g.PurposeDescription, "Trying PDPP in the sandbox"),
			Source:             s.source(connector.Key),
			Type:               detailsType,
		}
		for _, granted := range g.Streams {
			i := slices.IndexFunc(connector.Streams, func(d catalog.Stream) bool { return d.Name == granted.Name })
			if i >= 0 && (g.ConnectorKey == "" || g.ConnectorKey == connector.Key) {
				detail.Streams = append(detail.Streams, detailStream(connector.Streams[i], granted))
			}
		}
		if len(detail.Streams) > 0 {
			details = append(details, detail)
		}
	}
	return details
}

// Details returns the authorization_details of a grant, as JSON.
func (s *Server) Details(g catalog.Grant) json.RawMessage {
	encoded, _ := json.Marshal(s.authorizationDetails(g)) // strings always encode
	return encoded
}

func detailStream(declared catalog.Stream, granted catalog.StreamGrant) detailedStream {
	detail := detailedStream{
		Fields: granted.Fields, InstanceIDs: granted.ConnectionIDs, Name: granted.Name,
		Resources: granted.Resources,
	}
	if detail.Fields == nil {
		for _, f := range declared.Fields {
			detail.Fields = append(detail.Fields, f.Name)
		}
		slices.Sort(detail.Fields)
	}
	if !granted.Since.IsZero() || !granted.Until.IsZero() {
		detail.TimeConstraint = &timeConstraint{
			Field: declared.ConsentTimeField, Since: optionalTime(granted.Since), Until: optionalTime(granted.Until),
		}
	}
	return detail
}

func optionalTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
