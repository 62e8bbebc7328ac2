package credential

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
)

// Approved is the approved access to one stream, as the authorization server reports it.
type Approved struct {
	Source      string   `json:"source,omitempty"`      // connector as the provider names it, such as https://registry.pdpp.dev/connectors/gmail
	Stream      string   `json:"stream"`                // not empty
	Connections []string `json:"connections,omitempty"` // ids; empty: unknown
	Fields      []string `json:"fields,omitempty"`      // empty: all
	Since       string   `json:"since,omitempty"`       // RFC 3339, inclusive; empty: no bound
	Until       string   `json:"until,omitempty"`       // RFC 3339, exclusive; empty: no bound
	TimeField   string   `json:"time_field,omitempty"`  // that Since and Until bound; empty: unknown
	Records     []string `json:"records,omitempty"`     // ids; empty: all
}

// Detail is one of PDPP's authorization details (RFC 9396): what is requested or approved of one source.
type Detail struct {
	Type               string   `json:"type"`
	Source             Source   `json:"source,omitzero"`
	AccessMode         string   `json:"access_mode,omitempty"`
	PurposeCode        string   `json:"purpose_code,omitempty"`
	PurposeDescription string   `json:"purpose_description,omitempty"`
	Streams            []Stream `json:"streams"`
}

// Source is a connector, or another source that the provider names.
type Source struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// EveryStream is the name for all streams of a source.
const EveryStream = granted.EveryStream

// Stream is a stream of a Detail. Empty members do not limit it.
type Stream struct {
	Name        string    `json:"name"`                     // EveryStream: all
	Connections []string  `json:"instance_ids,omitempty"`   // ids; empty in a request: the only connection of the source
	Fields      []string  `json:"fields,omitempty"`         // the server adds required ones
	Records     []string  `json:"resources,omitempty"`      // ids; empty: all
	Range       TimeRange `json:"time_range,omitzero"`      // of a request
	Constraint  TimeRange `json:"time_constraint,omitzero"` // of a grant
}

// TimeRange is a range of times in RFC 3339. An empty time means that there is no bound.
type TimeRange struct {
	Field string `json:"field,omitempty"` // of a grant: the field that is compared
	Since string `json:"since,omitempty"` // inclusive
	Until string `json:"until,omitempty"` // exclusive
}

// ReadDetails parses the credential's details. It skips members that it does not know or that have another type.
// IsUnderstood is false if there is one.
func (c Credential) ReadDetails() (details []Detail, isUnderstood bool) {
	decoder := json.NewDecoder(bytes.NewReader(c.Details))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&details)
	return details, err == nil
}

// Approved returns the streams of the details. It ignores those of another shape, since the resource server decides
// what may be read.
func (c Credential) Approved() []Approved {
	var approved []Approved
	details, _ := c.ReadDetails()
	for _, detail := range details {
		for _, stream := range detail.Streams {
			bounds := cmp.Or(stream.Constraint, stream.Range)
			if stream.Name != "" {
				approved = append(approved, Approved{
					Source: detail.Source.ID, Stream: stream.Name, Connections: stream.Connections, Fields: stream.Fields,
					Since: bounds.Since, Until: bounds.Until, TimeField: bounds.Field, Records: stream.Records,
				})
			}
		}
	}
	return approved
}

// Granted returns what the owner approved of each stream. Without a refresh token, the grant ends with its access
// token.
func (c Credential) Granted() []granted.Stream {
	streams := granted.Read(c.GrantID, c.Details)
	for i := range streams {
		if c.RefreshToken.IsZero() {
			streams[i].Expires = c.ExpiresAt
		}
	}
	return streams
}

const maxFieldsRepeated = 12 // by SameRequest; authorization servers list all fields of an unlimited stream

// SameRequest returns what to request to get the same grant again: its connections, its streams, the time range of the
// first, and the fields of a single stream if they are few. For several sources or an unknown one, the owner chooses
// again.
func (c Credential) SameRequest() commandline.Wanted {
	approved := c.Approved()
	ownerChooses := commandline.Wanted{Label: c.Label}
	if !c.RefreshToken.IsZero() { // only an authorization code yields one, and its page lets the owner choose
		ownerChooses.Flow = "code"
	}
	wanted := commandline.Wanted{Label: c.Label}
	for i, each := range approved {
		if i == 0 {
			wanted.Source, wanted.Since, wanted.Until = each.Source, each.Since, each.Until
		}
		if each.Source != wanted.Source {
			return ownerChooses
		}
		wanted.Connections = union(wanted.Connections, each.Connections)
		if each.Stream != EveryStream {
			wanted.Streams = union(wanted.Streams, []string{each.Stream})
		}
	}
	if wanted.Source == "" {
		return ownerChooses
	}
	if len(approved) == 1 && len(approved[0].Fields) <= maxFieldsRepeated {
		wanted.Fields = approved[0].Fields
	}
	return wanted
}

func union(names, more []string) []string {
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// ConnectorKey returns the short name of the connector: gmail for https://registry.pdpp.dev/connectors/gmail.
func (a Approved) ConnectorKey() string {
	if !strings.Contains(a.Source, "/") {
		return a.Source
	}
	return path.Base(a.Source)
}
