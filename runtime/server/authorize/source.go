package authorize

import (
	"errors"
	"path"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Source is the access that a sign-in requests: the streams of a source, on the named connections.
type Source struct {
	ID          string   // such as https://registry.pdpp.dev/connectors/gmail
	Connections []string // ids; empty: the only connection of the source
}

// ErrSource refuses the text of a source.
var ErrSource = errors.New("use a source such as https://registry.pdpp.dev/connectors/gmail, or SOURCE=CONNECTION, or SOURCE=CONNECTION+CONNECTION")

// ParseSource reads a source: its id, and after an equals sign its connections, joined by plus signs.
func ParseSource(text string) (Source, error) {
	id, connections, isNamed := strings.Cut(text, "=")
	source := Source{ID: id}
	if isNamed {
		source.Connections = strings.Split(connections, "+")
	}
	for _, part := range append(source.Connections, id) {
		if part == "" || strings.ContainsAny(part, " \t\r\n\"<>") {
			return Source{}, ErrSource
		}
	}
	return source, nil
}

// title names the source on the page.
func (s Source) title() string {
	name := path.Base(s.ID) // registries have different addresses for one connector
	if len(s.Connections) == 0 {
		return name
	}
	return name + " (" + strings.Join(s.Connections, ", ") + ")"
}

// details returns the authorization_details of the request: all streams, until the owner takes the access back.
func (s Source) details() string {
	stream := rawjson.Object{rawjson.String("name", tool.EveryStream)}
	if s.Connections != nil {
		stream = append(stream, rawjson.Strings("instance_ids", s.Connections))
	}
	detail := rawjson.Object{
		rawjson.String("type", "https://pdpp.dev/data-access"),
		rawjson.Raw("source", rawjson.Texts("kind", "connector", wire.ID, s.ID).Encode()),
		rawjson.String("access_mode", "continuous"),
		rawjson.String("purpose_code", "https://pdpp.dev/purpose/personal_ai_assistant"),
		rawjson.String("purpose_description", "Answering the owner's questions through an AI app"),
		rawjson.Raw(wire.Streams, rawjson.Array([]rawjson.Value{stream.Encode()})),
	}
	return string(rawjson.Array([]rawjson.Value{detail.Encode()}))
}
