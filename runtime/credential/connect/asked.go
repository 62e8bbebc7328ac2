package connect

import (
	"cmp"
	"slices"
	"time"
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
	Name        string    // EveryStream stands for all
	Connections []string  // instance_ids; none: the one connection that the owner has
	Fields      []string  // the server adds those that every record needs
	Since       time.Time // inclusive
	Until       time.Time // exclusive
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

// authorizationDetail asks for streams of one source.
type authorizationDetail struct {
	Type               string           `json:"type"`
	Source             *source          `json:"source,omitempty"`
	AccessMode         string           `json:"access_mode"`
	PurposeCode        string           `json:"purpose_code"`
	PurposeDescription string           `json:"purpose_description"`
	Streams            []detailedStream `json:"streams"`
}

type source struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

type detailedStream struct {
	Name        string     `json:"name"`
	InstanceIDs []string   `json:"instance_ids,omitempty"`
	Fields      []string   `json:"fields,omitempty"`
	TimeRange   *timeRange `json:"time_range,omitempty"`
}

type timeRange struct {
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"`
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
		detail.Source = &source{Kind: "connector", ID: s.Asked.Source}
	}
	for _, asked := range s.Asked.Streams {
		detail.Streams = append(detail.Streams, asked.detailed())
	}
	if detail.Streams == nil {
		detail.Streams = []detailedStream{{Name: EveryStream}}
	}
	return []authorizationDetail{detail}
}

func (s Stream) detailed() detailedStream {
	detailed := detailedStream{Name: s.Name, InstanceIDs: s.Connections, Fields: s.Fields}
	if within := (timeRange{Since: moment(s.Since), Until: moment(s.Until)}); within != (timeRange{}) {
		detailed.TimeRange = &within
	}
	return detailed
}

// moment writes a time as RFC 3339; the zero time is empty.
func moment(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}
