package mcphost

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// Entry is a configured server.
type Entry struct {
	Name    string
	Command string // empty for a hosted server
	URL     string // empty for a local server
}

// Entries returns the servers in the host's file, by name. A missing file has none. It returns a *credential.Error of class
// Configuration if the file cannot be read or parsed.
func (h Host) Entries(machine Machine) ([]Entry, error) {
	document, err := h.read(h.Path(machine))
	if err != nil {
		return nil, err
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

func (h Host) read(path string) (map[string]any, error) {
	read, err := readFile(path)
	if err != nil {
		return nil, err
	}
	document, err := h.format.decode(read.content)
	if err != nil {
		return nil, credential.Misconfigured(path+" cannot be used: "+err.Error(), "fix it by hand", err)
	}
	return document, nil
}

// InFolder returns the files with a server of this name for a folder. The host prefers it to the user's configuration there. It
// returns a *credential.Error of class Configuration if a file cannot be read or parsed.
func (h Host) InFolder(machine Machine, folder, name string) ([]string, error) {
	ofFolder, ofUser := filepath.Join(folder, h.folderFile), h.Path(machine)
	if h.folderFile == "" || ofFolder == ofUser {
		return nil, nil
	}
	var found []string
	for _, scope := range []struct {
		file string
		path []string // of the servers
	}{
		{ofFolder, []string{h.format.servers()}},
		{ofUser, []string{"projects", folder, h.format.servers()}}, // claude mcp add, without a scope
	} {
		document, err := h.read(scope.file)
		if err != nil {
			return nil, err
		}
		for _, member := range scope.path {
			document, _ = document[member].(map[string]any)
		}
		if _, has := document[name]; has {
			found = append(found, scope.file)
		}
	}
	return found, nil
}

// IsAdapter reports whether the entry starts pdpp-mcp.
func (e Entry) IsAdapter() bool {
	program := strings.ToLower(path.Base(strings.ReplaceAll(e.Command, `\`, "/")))
	return strings.TrimSuffix(program, ".exe") == "pdpp-mcp"
}

func textOf(members map[string]any, name string) string {
	text, _ := members[name].(string)
	return text
}
