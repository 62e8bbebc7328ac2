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
		word, known := Calls.find(call.Call)
		tool, found := checkToolName(from, path+".tool", call.Tool, tools)
		if !known || !found {
			continue
		}
		check := &toolCheck{source: from, tool: tool, used: map[string]bool{}}
		check.complete = check.complete && from.complete
		check.names(path, word, call.With)
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

// names checks that the tool has the arguments that a call names.
func (c *toolCheck) names(path string, word Word, with Bindings) {
	for _, binding := range with {
		key := joinKey(path+".with", binding.Name)
		parameter, found := word.parameter(binding.Name)
		if !found {
			c.add(key, "%s", unknown("parameter of "+word.Name, binding.Name, parameterNames(word)))
			continue
		}
		argument, found := c.reference(key, binding.Value)
		if wanted := parameter.Kind.argumentType(); found && argument.Type != wanted && parameter.Kind != KindName {
			c.add(key, "is %q, %s, but %s is wanted; name another", binding.Value, article(argument.Type), article(wanted))
		}
	}
	for _, parameter := range word.Parameters {
		if !slices.ContainsFunc(with, func(b Binding) bool { return b.Name == parameter.Name }) {
			c.addMissing(path+".with."+parameter.Name, "is missing; name the argument of %s for it", c.tool.Name)
		}
	}
}
