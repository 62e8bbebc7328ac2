package mcphost

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// Entry is a server that a host has configured.
type Entry struct {
	Name    string
	Command string // empty for a hosted server
	URL     string // empty for a local server
}

// Entries gives the servers of the host's file, by name. A file that is not there has none; one that cannot
// be read or parsed is a *credential.Error of class Configuration.
func (h Host) Entries(machine Machine) ([]Entry, error) {
	file := h.Path(machine)
	read, err := readFile(file)
	if err != nil {
		return nil, err
	}
	document, err := h.format.decode(read.content)
	if err != nil {
		return nil, credential.Misconfigured(file+" cannot be used: "+err.Error(), "mend it by hand", err)
	}
	servers, _ := document[h.format.servers()].(map[string]any)
	var entries []Entry
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		members := entryOf(document, h.format.servers(), name)
		entries = append(entries, Entry{
			Name:    name,
			Command: textOf(members, "command"),
			URL:     textOf(members, "url") + textOf(members, "httpUrl"), // a host reads one of the two
		})
	}
	return entries, nil
}

// IsAdapter reports whether an entry starts this adapter, whatever its name: the program is pdpp-mcp.
func (e Entry) IsAdapter() bool {
	program := strings.ToLower(path.Base(strings.ReplaceAll(e.Command, `\`, "/")))
	return strings.TrimSuffix(program, ".exe") == "pdpp-mcp"
}

func textOf(members map[string]any, name string) string {
	text, _ := members[name].(string)
	return text
}
