package blob

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// maxDepth limits the nesting of lists and objects that are searched for references.
const maxDepth = 4

// Replace returns a value with the references in it replaced, at any depth up to maxDepth. A path joins names and
// indexes with dots, such as attachments.0. A reference stays if other returns nil.
func Replace(path string, value rawjson.Value,
	other func(path string, reference Reference) rawjson.Value,
) rawjson.Value {
	return replace(path, value, other, maxDepth)
}

func replace(path string, value rawjson.Value, other func(string, Reference) rawjson.Value, depth int) rawjson.Value {
	if depth == 0 || !MayRefer(value) {
		return value
	}
	if reference, refers := ParseReference(value); refers {
		if replaced := other(path, reference); replaced != nil {
			return replaced
		}
		return value
	}
	isChanged := false
	inner := func(name string, value rawjson.Value) rawjson.Value {
		replaced := replace(path+"."+name, value, other, depth-1)
		isChanged = isChanged || &replaced[0] != &value[0]
		return replaced
	}
	if elements, isArray := rawjson.Elements(value); isArray {
		for i, element := range elements {
			elements[i] = inner(strconv.Itoa(i), element)
		}
		if isChanged {
			return rawjson.Array(elements)
		}
		return value
	}
	members, _ := rawjson.ParseObject(value)
	members = slices.Clone(members)
	for i, member := range members {
		if !strings.Contains(member.Name, ".") { // a dot would make the path ambiguous
			members[i].Value = inner(member.Name, member.Value)
		}
	}
	if isChanged {
		return members.Encode()
	}
	return value
}

// References returns the references in a record, or the one at a path. If there is only one and it has no name, it gets
// the file name that the record states.
func References(fields rawjson.Object, path string) []Reference {
	var found []Reference
	for _, field := range fields {
		Replace(field.Name, field.Value, func(at string, reference Reference) rawjson.Value {
			if path == "" || path == at {
				found = append(found, reference)
			}
			return nil
		})
	}
	if len(found) == 1 {
		found[0].Name = cmp.Or(found[0].Name, fields.Text(nameMember))
	}
	return found
}
