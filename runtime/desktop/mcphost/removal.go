package mcphost

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// PlanRemoval plans to remove the entry with a name from the host's file. The change is empty if there is no such
// entry. The errors are those of Plan.
func (h Host) PlanRemoval(machine Machine, name string) (*Change, error) {
	change := &Change{Host: h, Path: h.Path(machine)}
	var err error
	if change.file, err = readFile(change.Path); err != nil {
		return nil, err
	}
	change.after, err = h.format.remove(change.file.content, h.section, name)
	if err == nil && !removesOnlyEntry(h.format, change.file.content, change.after, h.section, name) {
		err = problem("the change would touch more than the entry of this server")
	}
	if err != nil {
		return nil, credential.Misconfigured(fmt.Sprintf("%s was left as it is: %v", change.Path, err), "remove the entry by hand", err)
	}
	return change, nil
}

func removesOnlyEntry(f format, before, after []byte, section, name string) bool {
	expected, err := f.decode(before)
	if err != nil {
		return false
	}
	decoded, err := f.decode(after)
	delete(objectIn(expected, section), name)
	objectIn(decoded, section) // TOML has no table without an entry
	return err == nil && reflect.DeepEqual(expected, decoded)
}

func (f jsonFormat) remove(content []byte, section, name string) ([]byte, error) {
	if blank(content) {
		return content, nil
	}
	document, err := f.parse(content)
	if err != nil {
		return nil, err
	}
	root := document.Value.(*hujson.Object) // parse ensures it
	index, err := find(root, section)
	if err != nil || index < 0 {
		return content, err
	}
	servers, ok := root.Members[index].Value.Value.(*hujson.Object)
	if !ok {
		return nil, problem(fmt.Sprintf("its member %s is not an object", section))
	}
	index, err = find(servers, name)
	if err != nil || index < 0 {
		return content, err
	}
	remove(servers, index)
	return document.Pack(), nil
}

// remove deletes the table of the entry with its subtables, and the empty line before each.
func (f tomlFormat) remove(content []byte, section, name string) ([]byte, error) {
	if _, err := f.decode(content); err != nil {
		return nil, err
	}
	isHeading := func(s tomlStatement) bool { return s.kind != unstable.KeyValue }
	isOfEntry := func(s tomlStatement) bool {
		return isHeading(s) && len(s.key) >= 2 && s.key[0] == section && s.key[1] == name
	}
	changed := bytes.Clone(content)
	for {
		statements := tomlStatements(changed)
		first := slices.IndexFunc(statements, isOfEntry)
		if first < 0 {
			return changed, nil
		}
		last := len(statements) - 1
		if next := slices.IndexFunc(statements[first+1:], isHeading); next >= 0 {
			last = first + next
		}
		start := statements[first].lineStart
		for _, empty := range []string{"\n\r\n", "\n\n"} {
			if before := changed[:start]; bytes.HasSuffix(before, []byte(empty)) || string(before) == empty[1:] {
				start -= len(empty) - 1
				break
			}
		}
		changed = slices.Delete(changed, start, statements[last].lineEnd)
	}
}
