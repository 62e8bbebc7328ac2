package toolspec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	placeholder  = regexp.MustCompile(`^\{([^{}]*)\}$`)
	fixedSegment = regexp.MustCompile(`^(\.well-known|[A-Za-z0-9_-]+)$`)
)

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

// path checks one path, segment by segment.
func (c *toolCheck) path(at, path string) {
	if path == "" {
		return
	}
	rest, rooted := strings.CutPrefix(path, "/")
	if !rooted {
		c.add(at, "is %q; begin it with a slash", path)
	}
	var sent []string
	for segment := range strings.SplitSeq(rest, "/") {
		match := placeholder.FindStringSubmatch(segment)
		switch {
		case match != nil:
			sent = append(sent, match[1])
			c.placeholder(at, match[1])
		case segment == "":
			c.add(at, "has an empty segment; write one slash between segments, and none at the end")
		case !fixedSegment.MatchString(segment):
			c.add(at, "has the segment %q; use letters, digits, _ and -, or one {argument}", segment)
		}
	}
	for index, argument := range c.tool.Arguments {
		if argument.Send == SendPath && !slices.Contains(sent, argument.Name) {
			c.addOwn(fmt.Sprintf("arguments[%d].send", index), "is path, but {%s} is not in %s; add it there", argument.Name, path)
		}
	}
}

// placeholder checks one {name} of a path.
func (c *toolCheck) placeholder(at, name string) {
	if part, ofTarget := strings.CutPrefix(name, TargetWord+"."); ofTarget {
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
	switch {
	case name == "":
		c.add(at, "has an empty {}; name an argument in it")
	case found && argument.Send != SendPath && knownOrEmpty(Sends, argument.Send):
		c.add(at, "names {%s}, which is not sent in the path; give the argument send: path", name)
	}
}

// knownOrEmpty reports whether a word is known or empty. Unknown words are noted elsewhere.
func knownOrEmpty(table Words, name string) bool {
	_, known := table.find(name)
	return known || name == ""
}
