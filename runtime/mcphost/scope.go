package mcphost

import (
	"path/filepath"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// InFolder gives the files in which the host has a server of this name for a folder. There it is used in place of the one in the
// user's own configuration. A file that cannot be read or parsed is a *credential.Error of class Configuration.
func (h Host) InFolder(machine Machine, folder, name string) ([]string, error) {
	var found []string
	for _, scope := range []struct {
		file string
		path []string // of the object that holds the section
	}{
		{file: filepath.Join(folder, h.folderFile)},
		{file: h.Path(machine), path: []string{"projects", folder}}, // claude mcp add, without a scope
	} {
		if h.folderFile == "" || filepath.Join(folder, h.folderFile) == h.Path(machine) {
			continue
		}
		read, err := readFile(scope.file)
		if err != nil {
			return nil, err
		}
		document, err := h.format.decode(read.content)
		if err != nil {
			return nil, credential.Misconfigured(scope.file+" cannot be used: "+err.Error(), "mend it by hand", err)
		}
		for _, member := range append(slices.Clone(scope.path), h.format.servers()) {
			document, _ = document[member].(map[string]any)
		}
		if _, has := document[name]; has {
			found = append(found, scope.file)
		}
	}
	return found, nil
}
