package connect

// dataAccess is the type of PDPP's authorization details (RFC 9396).
const dataAccess = "https://pdpp.dev/data-access"

// everyStream stands for all streams of a source.
const everyStream = "*"

// authorizationDetail asks for streams of one source.
type authorizationDetail struct {
	Type               string   `json:"type"`
	Source             *source  `json:"source,omitempty"`
	AccessMode         string   `json:"access_mode"`
	PurposeCode        string   `json:"purpose_code"`
	PurposeDescription string   `json:"purpose_description"`
	Streams            []stream `json:"streams"`
}

type source struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

type stream struct {
	Name string `json:"name"`
}

// details asks for each source that the options name. Without one it leaves the source open.
func (s *signIn) details() []authorizationDetail {
	names := s.Streams
	if len(names) == 0 {
		names = []string{everyStream}
	}
	streams := make([]stream, len(names))
	for i, name := range names {
		streams[i] = stream{Name: name}
	}
	detail := authorizationDetail{
		Type: dataAccess, AccessMode: "continuous", PurposeCode: "https://pdpp.dev/purpose/personal_ai_assistant",
		PurposeDescription: "Answering the owner's questions through " + s.ClientName, Streams: streams,
	}
	if len(s.Sources) == 0 {
		return []authorizationDetail{detail}
	}
	details := make([]authorizationDetail, len(s.Sources))
	for i, id := range s.Sources {
		details[i] = detail
		details[i].Source = &source{Kind: "connector", ID: id}
	}
	return details
}

// namesAnything tells whether there is something to ask for in particular.
func (s *signIn) namesAnything() bool { return len(s.Sources) > 0 || len(s.Streams) > 0 }
