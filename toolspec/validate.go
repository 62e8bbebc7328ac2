package toolspec

import (
	"fmt"
	"strings"
)

// The schemas hold the structure of the specs. The functions below check what a schema cannot say: names that refer to
// others, and names that differ.

// reservedTools are names that other generated files have.
var reservedTools = []string{"surface", "footprint", "commands", "skill"}

// checkUnique notes a name that an earlier item of the list has.
func checkUnique(from source, path, name string, seen map[string]string) {
	if name == "" {
		return
	}
	if first, twice := seen[name]; twice {
		from.add(path, "repeats %q of %s; give each its own", name, first)
		return
	}
	seen[name] = path
}

// checkShared checks the names of shared.yaml.
func checkShared(from source, file SharedFile) {
	checkArguments(from, file.Arguments)
	seen := map[string]string{}
	for index, output := range file.Outputs {
		path := fmt.Sprintf("outputs[%d]", index)
		checkUnique(from, path+".name", output.Name, seen)
		checkProperties(from, path+".properties", output.Properties)
	}
}

func checkProperties(from source, path string, properties []Property) {
	seen := map[string]string{}
	for index, property := range properties {
		key := fmt.Sprintf("%s[%d]", path, index)
		checkUnique(from, key+".name", property.Name, seen)
		checkProperties(from, key+".properties", property.Properties)
	}
}

// checkRecords checks that every role of the vocabulary has fields, and that no field names two conversations.
func checkRecords(from source, file RecordsFile) {
	roles, fields := map[string]string{}, map[string]string{}
	for index, role := range file.Roles {
		checkUnique(from, fmt.Sprintf("roles[%d].role", index), role.Role, roles)
	}
	for _, name := range Roles.Names() {
		if _, given := roles[name]; !given && from.complete {
			from.add("roles", "lacks %s; list the fields with that role", name)
		}
	}
	for index, conversation := range file.Conversations {
		for number, name := range conversation.Fields {
			checkUnique(from, fmt.Sprintf("conversations[%d].fields[%d]", index, number), name, fields)
		}
	}
}

// article puts an article before the name of a type or a kind.
func article(noun string) string {
	if strings.HasPrefix(noun, "optional") || strings.HasPrefix(noun, "integer") {
		return "an " + noun
	}
	return "a " + noun
}
