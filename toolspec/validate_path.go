package toolspec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// placeholders match the values in a path. The schema has refused other braces.
var placeholders = regexp.MustCompile(`\{([^{}]*)\}`)

// request checks the request's paths, and that every argument sent in the path is in each of them.
func (c *toolCheck) request() {
	request := c.tool.Request
	if request == nil {
		return
	}
	c.path("request.path", request.Path)
	if request.PathBy == nil {
		return
	}
	c.pathBy(*request.PathBy)
	for _, value := range request.PathBy.Values {
		c.path(joinKey("request.path_by.values", value.Name), value.Value)
	}
}

// pathBy checks the argument that chooses a path.
func (c *toolCheck) pathBy(by PathBy) {
	argument, found := c.reference("request.path_by.argument", by.Argument)
	if !found {
		return
	}
	if len(argument.Enum) == 0 {
		c.add("request.path_by.argument", "is %q, which has no enum; list its values there", by.Argument)
		return
	}
	for _, value := range by.Values {
		if !slices.Contains(argument.Enum, value.Name) {
			c.add(joinKey("request.path_by.values", value.Name), "%s", unknown("value", value.Name, argument.Enum))
		}
	}
}

// path checks the values in one path.
func (c *toolCheck) path(at, path string) {
	var sent []string
	for _, match := range placeholders.FindAllStringSubmatch(path, -1) {
		sent = append(sent, match[1])
		c.placeholder(at, match[1])
	}
	for index, argument := range c.tool.Arguments {
		if argument.Send == SendPath && !slices.Contains(sent, argument.Name) && path != "" {
			c.addOwn(fmt.Sprintf("arguments[%d].send", index), "is path, but {%s} is not in %s; add it there",
				argument.Name, path)
		}
	}
}

// placeholder checks one {name} of a path.
func (c *toolCheck) placeholder(at, name string) {
	if part, ofTarget := strings.CutPrefix(name, TargetWord+"."); ofTarget {
		c.namesTarget = true
		switch {
		case !c.has("target"):
			c.add(at, "names {%s}, but the tool has no target; add one", name)
		case part == "connection_id":
			c.add(at, "names {%s}, which may be absent; only target.stream and target.record_id fit a path", name)
		case !slices.Contains(TargetParts, part):
			c.add(at, "names {%s}: %s", name, unknown("part of the target", part, TargetParts))
		}
		return
	}
	argument, found := c.reference(at, name)
	if found && argument.Send != SendPath && knownOrEmpty(Sends, argument.Send) {
		c.add(at, "names {%s}, which is not sent in the path; give the argument send: path", name)
	}
}

// knownOrEmpty reports whether a word is known or empty. Unknown words are noted elsewhere.
func knownOrEmpty(table Words, name string) bool {
	_, known := table.find(name)
	return known || name == ""
}
