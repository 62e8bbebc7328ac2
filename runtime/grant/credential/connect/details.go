package connect

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
)

// AccessRequest is the access that a sign-in requests. With the zero AccessRequest the owner chooses, if the
// authorization server has a page for that.
type AccessRequest struct {
	Source    string              // connector, such as https://registry.pdpp.dev/connectors/gmail; empty: unspecified
	Streams   []credential.Stream // empty: every stream of the source
	Purpose   string              // a sentence for the owner; empty: the default
	Subject   string              // id of the owner whose approval is expected; empty: any; not sent
	SingleUse bool                // one token that expires, not access until it is revoked
}

func (a AccessRequest) namesAnything() bool {
	return a.Source != "" || len(a.Streams) > 0 || a.SingleUse
}

// omitsConnection reports whether instance_ids are missing, which the page accepts only of a single connection
// (captures 850 and 867).
func (a AccessRequest) omitsConnection() bool {
	return a.Source != "" && (len(a.Streams) == 0 || slices.ContainsFunc(a.Streams, func(s credential.Stream) bool { return len(s.Connections) == 0 }))
}

// Values in PDPP's authorization details (RFC 9396).
const (
	dataAccess = "https://pdpp.dev/data-access" // the type
	continuous = "continuous"                   // access modes
	singleUse  = "single_use"
	connector  = "connector" // the kind of a source

	personalAssistant = "https://pdpp.dev/purpose/personal_ai_assistant" // the purpose
)

// SameAccess returns the request for exactly what a credential was approved for. It returns false if that is not known,
// or if a request cannot name it: several sources, another purpose, or limits other than connections, fields and times.
func SameAccess(approved credential.Credential) (AccessRequest, bool) {
	details, isUnderstood := approved.ReadDetails()
	if !isUnderstood || len(details) != 1 {
		return AccessRequest{}, false
	}
	detail := details[0]
	isKnown := detail.Source.ID != "" && detail.Source.Kind == connector && detail.PurposeCode == personalAssistant && len(detail.Streams) > 0 &&
		(detail.AccessMode == singleUse || detail.AccessMode == continuous) // without it, the details are not those of the authorization server
	for i, stream := range detail.Streams {
		isKnown = isKnown && stream.Name != "" && stream.Records == nil && (stream.Fields == nil || len(stream.Fields) > 0)
		bounds := cmp.Or(stream.Constraint, stream.Range)
		bounds.Field, stream.Constraint = "", credential.TimeRange{}
		stream.Range = bounds
		detail.Streams[i] = stream
	}
	return AccessRequest{
		Source: detail.Source.ID, Streams: detail.Streams, Purpose: detail.PurposeDescription, SingleUse: detail.AccessMode == singleUse,
		Subject: approved.SubjectID,
	}, isKnown
}

// details returns the single detail that a request may have (860l).
func (s *signIn) details() []credential.Detail {
	detail := credential.Detail{
		Type: dataAccess, AccessMode: continuous, PurposeCode: personalAssistant,
		PurposeDescription: cmp.Or(s.Access.Purpose, "Answering the owner's questions through "+s.ClientName),
		Streams:            s.Access.Streams,
	}
	if s.Access.SingleUse {
		detail.AccessMode = singleUse
	}
	if s.Access.Source != "" {
		detail.Source = credential.Source{Kind: connector, ID: s.Access.Source}
	}
	if len(detail.Streams) == 0 {
		detail.Streams = []credential.Stream{{Name: credential.EveryStream}}
	}
	return []credential.Detail{detail}
}

func (s *signIn) detailsText() string {
	details, _ := json.Marshal(s.details()) // strings always encode
	return string(details)
}

// readDetails derives details from a schema: connectors, streams, connections and fields. A schema has no time ranges
// or access mode, so the requested time ranges are assumed.
func (a AccessRequest) readDetails(document *schemadoc.Document) rawjson.Value {
	details := []credential.Detail{}
	for _, granted := range document.Connectors {
		detail := credential.Detail{Type: dataAccess, Streams: []credential.Stream{}}
		_ = json.Unmarshal(granted.Members.Get("source"), &detail.Source)
		if detail.Source.ID == "" {
			detail.Source = credential.Source{Kind: connector, ID: granted.Key}
		}
		for _, stream := range granted.Streams {
			read := credential.Stream{Name: stream.Name, Range: a.rangeOf(stream.Name)}
			for _, connection := range granted.ConnectionsOf(stream) {
				read.Connections = append(read.Connections, connection.ID)
			}
			for _, field := range stream.Fields() {
				read.Fields = append(read.Fields, field.Name)
			}
			detail.Streams = append(detail.Streams, read)
		}
		details = append(details, detail)
	}
	encoded, _ := json.Marshal(details) // strings always encode
	return encoded
}

// rangeOf returns the requested time range of a stream.
func (a AccessRequest) rangeOf(stream string) (bounds credential.TimeRange) {
	for _, each := range a.Streams {
		if each.Name == stream {
			return each.Range
		}
		if each.Name == credential.EveryStream {
			bounds = each.Range
		}
	}
	return bounds
}
