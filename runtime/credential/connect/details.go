package connect

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// AccessRequest is what a sign-in requests. With the zero AccessRequest the owner chooses, if the authorization server has a page for that.
type AccessRequest struct {
	Source    string   // connector, such as https://registry.pdpp.dev/connectors/gmail; empty: unspecified
	Streams   []Stream // empty: every stream of the source
	Purpose   string   // a sentence for the owner; empty: the default
	SingleUse bool     // one token that expires, not access until it is revoked
}

// Stream is a requested stream. Empty members do not limit it.
type Stream struct {
	Name        string    `json:"name"`                   // EveryStream: all
	Connections []string  `json:"instance_ids,omitempty"` // empty: the only connection of the source
	Fields      []string  `json:"fields,omitempty"`       // the server adds required ones
	Range       TimeRange `json:"time_range,omitzero"`
}

// TimeRange is a range of times in UTC. A zero time is no bound.
type TimeRange struct {
	Since time.Time `json:"since,omitzero"` // inclusive
	Until time.Time `json:"until,omitzero"` // exclusive
}

// EveryStream is the name for all streams of a source.
const EveryStream = "*"

func (a AccessRequest) namesAnything() bool {
	return a.Source != "" || len(a.Streams) > 0 || a.SingleUse
}

// omitsConnection reports whether instance_ids are missing, which the page accepts only of a single connection (captures 850 and 867).
func (a AccessRequest) omitsConnection() bool {
	return a.Source != "" && (len(a.Streams) == 0 || slices.ContainsFunc(a.Streams, func(s Stream) bool { return len(s.Connections) == 0 }))
}

// Values in PDPP's authorization details (RFC 9396).
const (
	dataAccess = "https://pdpp.dev/data-access" // the type
	continuous = "continuous"                   // access modes
	singleUse  = "single_use"

	personalAssistant = "https://pdpp.dev/purpose/personal_ai_assistant" // the purpose
)

type authorizationDetail struct {
	Type               string        `json:"type"`
	Source             rawjson.Value `json:"source,omitempty"`
	AccessMode         string        `json:"access_mode,omitempty"`
	PurposeCode        string        `json:"purpose_code,omitempty"`
	PurposeDescription string        `json:"purpose_description,omitempty"`
	Streams            []Stream      `json:"streams"`
}

// repeatable are the members of a stream that SameAccess understands.
var repeatable = []string{"name", "instance_ids", "fields", "time_range", "time_constraint"}

// SameAccess returns the request for exactly what a credential was approved for. It returns false if that is not known, or if a request
// cannot name it: several sources, another purpose, or limits besides connections, fields and times.
func SameAccess(approved credential.Credential) (AccessRequest, bool) {
	details, _ := rawjson.Elements(approved.Details)
	if len(details) != 1 {
		return AccessRequest{}, false
	}
	detail, _ := rawjson.ParseObject(details[0])
	source, _ := rawjson.ParseObject(detail.Get("source"))
	mode := detail.Text("access_mode") // without it, the details are not those of the authorization server
	asked := AccessRequest{Source: source.Text("id"), Purpose: detail.Text("purpose_description"), SingleUse: mode == singleUse}
	isKnown := asked.Source != "" && source.Text("kind") == "connector" && detail.Text("purpose_code") == personalAssistant &&
		(mode == singleUse || mode == continuous)
	streams, _ := rawjson.Elements(detail.Get("streams"))
	for _, each := range streams {
		stream, _ := rawjson.ParseObject(each)
		fields, _ := rawjson.Elements(stream.Get("fields"))
		isKnown = isKnown && (len(fields) > 0) == (stream.Get("fields") != nil) &&
			!slices.ContainsFunc(stream.Names(), func(name string) bool { return !slices.Contains(repeatable, name) })
	}
	for _, each := range approved.Approved() {
		since, sinceErr := optionalTime(each.Since)
		until, untilErr := optionalTime(each.Until)
		isKnown = isKnown && sinceErr == nil && untilErr == nil
		asked.Streams = append(asked.Streams, Stream{
			Name: each.Stream, Connections: each.Connections, Fields: each.Fields, Range: TimeRange{Since: since, Until: until},
		})
	}
	return asked, isKnown && len(streams) > 0 && len(asked.Streams) == len(streams)
}

func optionalTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339, text)
}

func sourceOf(connector string) rawjson.Value {
	return rawjson.Object{rawjson.String("kind", "connector"), rawjson.String("id", connector)}.Encode()
}

// details returns the single detail that a request may have (860l).
func (s *signIn) details() []authorizationDetail {
	detail := authorizationDetail{
		Type: dataAccess, AccessMode: continuous, PurposeCode: personalAssistant,
		PurposeDescription: cmp.Or(s.Access.Purpose, "Answering the owner's questions through "+s.ClientName),
		Streams:            s.Access.Streams,
	}
	if s.Access.SingleUse {
		detail.AccessMode = singleUse
	}
	if s.Access.Source != "" {
		detail.Source = sourceOf(s.Access.Source)
	}
	if len(detail.Streams) == 0 {
		detail.Streams = []Stream{{Name: EveryStream}}
	}
	return []authorizationDetail{detail}
}

func (s *signIn) detailsText() string {
	details, _ := json.Marshal(s.details()) // strings always encode
	return string(details)
}

// readDetails derives details from a schema: connectors, streams, connections and fields. A schema has no time ranges or access mode.
func readDetails(document *schemadoc.Document) rawjson.Value {
	details := []authorizationDetail{}
	for _, connector := range document.Connectors {
		detail := authorizationDetail{Type: dataAccess, Source: connector.Members.Get("source"), Streams: []Stream{}}
		if _, isObject := rawjson.ParseObject(detail.Source); !isObject {
			detail.Source = sourceOf(connector.Key)
		}
		for _, stream := range connector.Streams {
			read := Stream{Name: stream.Name}
			for _, connection := range connector.ConnectionsOf(stream) {
				read.Connections = append(read.Connections, connection.ID)
			}
			for _, field := range stream.Fields() {
				read.Fields = append(read.Fields, field.Name)
			}
			detail.Streams = append(detail.Streams, read)
		}
		details = append(details, detail)
	}
	encoded, _ := json.Marshal(details) // strings and JSON always encode
	return encoded
}
