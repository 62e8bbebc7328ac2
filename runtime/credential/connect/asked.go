package connect

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Asked is what a sign-in asks for. The zero Asked leaves it to the owner, where the authorization server has a page on
// which to choose.
type Asked struct {
	Source    string   // connector, such as https://registry.pdpp.dev/connectors/gmail; empty: not named
	Streams   []Stream // none: every stream of the source
	Purpose   string   // in a sentence for the owner; empty: the usual one
	SingleUse bool     // one token that ends by itself, in place of access until it is revoked
}

// Stream is asked for of the source. What is left empty is not bounded.
type Stream struct {
	Name        string    `json:"name"`                   // EveryStream stands for all
	Connections []string  `json:"instance_ids,omitempty"` // none: the one connection that the owner has
	Fields      []string  `json:"fields,omitempty"`       // the server adds those that every record needs
	Since       time.Time `json:"-"`                      // inclusive
	Until       time.Time `json:"-"`                      // exclusive
}

// EveryStream is the name that stands for all streams of a source.
const EveryStream = "*"

// namesAnything reports whether there is something to ask for in particular.
func (a Asked) namesAnything() bool { return a.Source != "" || len(a.Streams) > 0 || a.SingleUse }

// omitsConnection reports whether the owner's page can only go on when the owner has one connection of the source: the
// instance_ids of a stream are left out (captures 850 and 867).
func (a Asked) omitsConnection() bool {
	return a.Source != "" && (len(a.Streams) == 0 || slices.ContainsFunc(a.Streams, func(s Stream) bool { return len(s.Connections) == 0 }))
}

// What PDPP's authorization details say (RFC 9396).
const (
	dataAccess = "https://pdpp.dev/data-access" // their type
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

// sourceOf is the source that is a connector.
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

// details is the one detail that a request may have (860l). Without a source it leaves that open.
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

// detailsText is the details as a parameter.
func (s *signIn) detailsText() string {
	details, _ := json.Marshal(s.details()) // they are made of strings
	return string(details)
}
