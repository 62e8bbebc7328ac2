package mcphost

// setting is one member of a server's entry, in the words of a host: a text, or a list of texts.
type setting struct {
	name string
	text string
	list []string // nil for a text
}

// The members that setup writes and, when they do not fit what is set up, removes. Others belong to the
// user.
var (
	plainNames = []string{"command", "args", "url"}
	typedNames = []string{"type", "command", "args", "url"}
)

// plain is how most hosts spell a server.
func plain(server Server) []setting {
	if server.URL != "" {
		return []setting{{name: "url", text: server.URL}}
	}
	return []setting{{name: "command", text: server.Command}, {name: "args", list: arguments(server)}}
}

// typed is for the hosts that want to be told the transport.
func typed(server Server) []setting {
	transport := "stdio"
	if server.URL != "" {
		transport = "http"
	}
	return append([]setting{{name: "type", text: transport}}, plain(server)...)
}

// gemini names the transport of a hosted server only, and called its URL httpUrl before.
func gemini(server Server) []setting {
	if server.URL != "" {
		return []setting{{name: "url", text: server.URL}, {name: "type", text: "http"}}
	}
	return plain(server)
}

func arguments(server Server) []string {
	if server.Arguments == nil {
		return []string{}
	}
	return server.Arguments
}

// value is a setting as JSON decodes it.
func (s setting) value() any {
	if s.list == nil {
		return s.text
	}
	list := make([]any, len(s.list))
	for i, each := range s.list {
		list[i] = each
	}
	return list
}
