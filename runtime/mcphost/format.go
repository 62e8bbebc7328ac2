package mcphost

import "reflect"

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

// faithful reports whether only the owned members of one entry differ, and are as wanted. It compares values, so that it does not
// share the faults of the code that changed the text.
func faithful(f format, before, after []byte, name string, wanted []setting) bool {
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
		if isPresent != isWanted || isPresent && !setting.is(value) {
			return false
		}
	}
	forget(was, f, name)
	forget(is, f, name)
	return reflect.DeepEqual(was, is)
}

func entryOf(document map[string]any, section, name string) map[string]any {
	servers, _ := document[section].(map[string]any)
	entry, _ := servers[name].(map[string]any)
	return entry
}

// forget removes the owned members, and objects that are then empty.
func forget(document map[string]any, f format, name string) {
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
