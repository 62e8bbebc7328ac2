package connect

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Asked is what a sign-in requests. With the zero Asked the owner chooses, if the authorization server has a page for that.
type Asked struct {
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
	Since       time.Time `json:"-"`                      // inclusive
	Until       time.Time `json:"-"`                      // exclusive
}

// EveryStream is the name for all streams of a source.
const EveryStream = "*"

// namesAnything reports whether anything in particular is requested.
func (a Asked) namesAnything() bool { return a.Source != "" || len(a.Streams) > 0 || a.SingleUse }

// omitsConnection reports whether instance_ids are missing. The owner's page then fails unless the source has one connection
// (captures 850 and 867).
func (a Asked) omitsConnection() bool {
	return a.Source != "" && (len(a.Streams) == 0 || slices.ContainsFunc(a.Streams, func(s Stream) bool { return len(s.Connections) == 0 }))
}

// Values in PDPP's authorization details (RFC 9396).
const (
	dataAccess = "https://pdpp.dev/data-access" // the type
	continuous = "continuous"                   // access modes
	singleUse  = "single_use"
)

// authorizationDetail names streams of one source.
type authorizationDetail struct {
	Type               string           `json:"type"`
	Source             rawjson.Value    `json:"source,omitempty"`
	AccessMode         string           `json:"access_mode,omitempty"`
	PurposeCode        string           `json:"purpose_code,omitempty"`
	PurposeDescription string           `json:"purpose_description,omitempty"`
	Streams            []detailedStream `json:"streams"`
}

// sourceOf returns the source for a connector.
func sourceOf(connector string) rawjson.Value {
	return rawjson.Object{rawjson.String("kind", "connector"), rawjson.String("id", connector)}.Encode()
}

type detailedStream struct {
	Stream
	TimeRange timeRange `json:"time_range,omitzero"`
}

type timeRange struct {
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"`
}

// details returns the single detail that a request may have (860l).
func (s *signIn) details() []authorizationDetail {
	detail := authorizationDetail{
		Type: dataAccess, AccessMode: continuous, PurposeCode: "https://pdpp.dev/purpose/personal_ai_assistant",
		PurposeDescription: cmp.Or(s.Asked.Purpose, "Answering the owner's questions through "+s.ClientName),
	}
	if s.Asked.SingleUse {
		detail.AccessMode = singleUse
	}
	if s.Asked.Source != "" {
		detail.Source = sourceOf(s.Asked.Source)
	}
	for _, asked := range s.Asked.Streams {
		detail.Streams = append(detail.Streams, detailedStream{asked, timeRange{asked.Since.UTC(), asked.Until.UTC()}})
	}
	if detail.Streams == nil {
		detail.Streams = []detailedStream{{Stream: Stream{Name: EveryStream}}}
	}
	return []authorizationDetail{detail}
}

// detailsText returns the details as a parameter.
func (s *signIn) detailsText() string {
	details, _ := json.Marshal(s.details()) // strings always encode
	return string(details)
}
