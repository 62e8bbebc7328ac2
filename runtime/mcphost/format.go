package mcphost

import "reflect"

// format is a kind of file in which hosts name their servers. Content without any text counts as a file
// that is yet to be written.
type format interface {
	// change gives the content with the entry as wanted, and everything else as it was. Its error says why
	// the content cannot be changed.
	change(content []byte, name string, wanted []setting) ([]byte, error)
	// decode gives the whole content as values.
	decode(content []byte) (map[string]any, error)
	// readable is the content in lines that can be compared, whatever it is written in.
	readable(content []byte) []byte
	// servers and owned are the names of the object of all servers, and of the members of an entry that
	// setup sets or removes.
	servers() string
	owned() []string
}

// problem is why a file cannot be changed. It repeats nothing of the file, which may hold secrets.
type problem string

func (p problem) Error() string { return string(p) }

// faithful reports whether a changed file says the same as before, but for the owned members of one entry,
// which are as wanted. It judges values, not text, so that it does not share the faults of what changed them.
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

// entryOf is the entry of a server, or nil.
func entryOf(document map[string]any, section, name string) map[string]any {
	servers, _ := document[section].(map[string]any)
	entry, _ := servers[name].(map[string]any)
	return entry
}

// forget removes what setup may change: the owned members, and what is empty without them.
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
