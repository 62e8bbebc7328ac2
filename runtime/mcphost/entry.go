package mcphost

import (
	"maps"
	"path"
	"path/filepath"
	"reflect"
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

// Entries returns the servers in the host's file, by name. A missing file has none.
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

// InFolder returns the files with a server of this name for a folder. In that folder, the host prefers such a server to the one in the
// user's configuration. It returns a *credential.Error of class Configuration if a file cannot be read or parsed.
func (h Host) InFolder(machine Machine, folder, name string) ([]string, error) {
	folderPath, userPath := filepath.Join(folder, h.folderFile), h.Path(machine)
	if h.folderFile == "" || folderPath == userPath {
		return nil, nil
	}
	var found []string
	for _, scope := range []struct {
		file string
		path []string // of the servers
	}{
		{folderPath, []string{h.format.servers()}},
		{userPath, []string{"projects", folder, h.format.servers()}}, // claude mcp add, without a scope
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

// format reads and changes a kind of configuration file. Empty content counts as a new file.
type format interface {
	// change returns the content with the wanted entry and everything else unchanged.
	change(content []byte, name string, wanted []setting) ([]byte, error)
	// decode returns the content as values.
	decode(content []byte) (map[string]any, error)
	// readable returns the content in lines that can be compared.
	readable(content []byte) []byte
	// servers is the name of the object with all servers. owned are the members of an entry that setup sets or removes.
	servers() string
	owned() []string
}

// problem is why a file cannot be changed. It repeats nothing of the file, which may contain secrets.
type problem string

func (p problem) Error() string { return string(p) }

// changesOnlyEntry reports whether only the owned members of one entry differ, and are as wanted. It compares values, not text.
func changesOnlyEntry(f format, before, after []byte, name string, wanted []setting) bool {
	was, err := f.decode(before)
	if err != nil {
		return false
	}
	is, err := f.decode(after)
	if err != nil {
		return false
	}
	entry := entryOf(is, f.servers(), name)
	for _, owned := range f.owned() {
		value, isPresent := entry[owned]
		setting, isWanted := settingOf(wanted, owned)
		if isPresent != isWanted || isPresent && !setting.equals(value) {
			return false
		}
	}
	removeOwned(was, f, name)
	removeOwned(is, f, name)
	return reflect.DeepEqual(was, is)
}

func entryOf(document map[string]any, section, name string) map[string]any {
	servers, _ := document[section].(map[string]any)
	entry, _ := servers[name].(map[string]any)
	return entry
}

func removeOwned(document map[string]any, f format, name string) {
	servers, ok := document[f.servers()].(map[string]any)
	if !ok {
		return
	}
	if entry, ok := servers[name].(map[string]any); ok {
		for _, owned := range f.owned() {
			delete(entry, owned)
		}
		if len(entry) == 0 {
			delete(servers, name)
		}
	}
	if len(servers) == 0 {
		delete(document, f.servers())
	}
}
