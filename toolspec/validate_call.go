package toolspec

import (
	"fmt"
	"slices"
)

// checkCalls checks the calls that results suggest: all words of the vocabulary, each once.
func checkCalls(from source, calls []Call, tools []loadedTool) {
	seen := map[string]string{}
	for index, call := range calls {
		path := fmt.Sprintf("calls[%d]", index)
		checkUnique(from, path+".call", call.Call, seen)
		if tool, found := checkToolName(from, path+".tool", call.Tool, tools); found {
			check := &toolCheck{source: from, tool: tool, used: map[string]bool{}, ofCall: true}
			check.word(path, call.Call, Calls, call.With)
		}
	}
	for _, name := range Calls.Names() {
		if _, given := seen[name]; !given && len(calls) > 0 && from.complete {
			from.add("calls", "lacks %s; say which tool it is", name)
		}
	}
}

// checkToolName returns the tool that surface.yaml names, and reports whether it is a tool for MCP clients. It notes
// any other, unless the tool's file could not be read.
func checkToolName(from source, path, name string, tools []loadedTool) (Tool, bool) {
	index := slices.IndexFunc(tools, func(tool loadedTool) bool { return tool.stem == name })
	switch {
	case name == "":
	case index < 0:
		from.add(path, "%s", unknown("tool", name, stemsOf(tools)))
	case !tools[index].source.complete:
	case tools[index].value.Terminal():
		from.add(path, "is %q, which is a terminal command; name a tool for MCP clients", name)
	default:
		return tools[index].value, true
	}
	return Tool{}, false
}
