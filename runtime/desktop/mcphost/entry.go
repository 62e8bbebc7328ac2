package mcphost

import (
	"cmp"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// Entry is a configured server.
type Entry struct {
	Name        string
	Command     string   // empty for a hosted server
	Arguments   []string // of the command
	Environment []string // variables that the host adds, as NAME=value
	URL         string   // empty for a local server
}

// Entries returns the servers in the host's file, by name. A missing file has none.
func (h Host) Entries(machine Machine) ([]Entry, error) {
	document, err := h.read(h.Path(machine))
	if err != nil {
		return nil, err
	}
	servers := objectIn(document, h.section)
	var entries []Entry
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		members := objectIn(servers, name)
		command, _ := members["command"].(string)
		url, _ := members["url"].(string)
		httpURL, _ := members["httpUrl"].(string)
		entry := Entry{Name: name, Command: command, URL: cmp.Or(url, httpURL)}
		arguments, _ := members["args"].([]any)
		for _, each := range arguments {
			argument, _ := each.(string)
			entry.Arguments = append(entry.Arguments, argument)
		}
		variables, _ := members["env"].(map[string]any)
		for _, variable := range slices.Sorted(maps.Keys(variables)) {
			value, _ := variables[variable].(string)
			entry.Environment = append(entry.Environment, variable+"="+value)
		}
		entries = append(entries, entry)
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

// InFolder returns the files with a server of this name for a folder. In that folder, the host prefers such a server to
// the one in the user's configuration. It returns a *credential.Error of class Configuration if a file cannot be read
// or parsed.
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
		{folderPath, []string{h.section}},
		{userPath, []string{"projects", folder, h.section}}, // claude mcp add, without a scope
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

// format reads and changes a kind of configuration file. Empty content counts as a new file.
type format interface {
	// change returns the content with the wanted settings in an entry of the section and everything else unchanged.
	change(content []byte, section, name string, wanted []setting) ([]byte, error)
	// remove returns the content without an entry of the section and everything else unchanged.
	remove(content []byte, section, name string) ([]byte, error)
	// decode returns the content as values.
	decode(content []byte) (map[string]any, error)
	// readable returns the content in lines that can be compared.
	readable(content []byte) []byte
}

// problem is the reason why a file cannot be changed. It repeats nothing of the file, which may contain secrets.
type problem string

func (p problem) Error() string { return string(p) }

// changesOnlyEntry reports whether one entry has the wanted settings and nothing else differs. It compares values, not
// text.
func changesOnlyEntry(f format, before, after []byte, section, name string, wanted []setting) bool {
	expected, err := f.decode(before)
	if err != nil {
		return false
	}
	decoded, err := f.decode(after)
	entry := objectIn(objectIn(expected, section), name)
	for _, each := range wanted {
		if entry[each.name] = each.value; each.value == nil {
			delete(entry, each.name)
		}
	}
	return err == nil && reflect.DeepEqual(expected, decoded)
}

// objectIn returns a member that is an object. It sets the member to an empty object if it is missing or of another
// type.
func objectIn(parent map[string]any, name string) map[string]any {
	object, isObject := parent[name].(map[string]any)
	if !isObject {
		object = map[string]any{}
		parent[name] = object
	}
	return object
}
