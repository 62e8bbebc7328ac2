package toolspec

import (
	"fmt"
	"slices"
	"strings"
)

// checkSurface checks the names in surface.yaml against the tools.
func checkSurface(from source, file SurfaceFile, tools []loadedTool) {
	checkToolList(from, file, tools)
	names, uris := map[string]string{}, map[string]string{}
	for index, template := range file.Templates {
		path := fmt.Sprintf("templates[%d]", index)
		checkUnique(from, path+".name", template.Name, names)
		checkUnique(from, path+".uri", template.URI, uris)
		checkTemplate(from, path, template, tools)
	}
	for index, line := range file.Examples {
		name, _, _ := strings.Cut(line, " ")
		checkToolName(from, fmt.Sprintf("examples[%d]", index), name, tools)
	}
	checkCalls(from, file.Calls, tools)
}

// checkToolList compares the lists of surface.yaml with the files of the folder tools, both ways. A tool must be in the
// list of its surface, so that none is offered to MCP clients by mistake (R-SURF-1).
func checkToolList(from source, file SurfaceFile, tools []loadedTool) {
	for _, tool := range tools {
		if tool.source.root == nil || !from.complete {
			continue
		}
		key, list := "tools", file.Tools
		if tool.value.Terminal() {
			key, list = "commands", file.Commands
		}
		if !slices.Contains(list, tool.stem) {
			tool.source.add("tool", "is not among the %s of surface.yaml; add it there, or remove this file", key)
		}
	}
	checkListed(from, "tools", file.Tools, tools, false)
	checkListed(from, "commands", file.Commands, tools, true)
}

func checkListed(from source, key string, list []string, tools []loadedTool, terminal bool) {
	stems, commands := stemsOf(tools), map[string]string{}
	for number, name := range list {
		path := fmt.Sprintf("%s[%d]", key, number)
		index := slices.Index(stems, name)
		if name == "" {
			continue
		}
		if index < 0 {
			from.add(path, "%s; a new tool needs %s/%s/%s.yaml", unknown("tool", name, stems), folder, toolsFolder, name)
			continue
		}
		tool := tools[index]
		if tool.source.root == nil {
			continue
		}
		command := tool.value.Command
		switch owner := commands[command]; {
		case tool.value.Terminal() != terminal && terminal:
			from.add(path, "is %q, which is a tool for MCP clients; give it surface: terminal, or move it to tools", name)
		case tool.value.Terminal() != terminal:
			from.add(path, "is %q, which is a terminal command; move it to commands", name)
		case command != "" && owner != "" && owner != name:
			from.add(path, "is %q, with the same command %q as %s; give each its own", name, command, owner)
		default:
			commands[command] = name
		}
		for number, short := range tool.value.Commands {
			checkUnique(tool.source, fmt.Sprintf("commands[%d].command", number), short.Command, commands)
		}
	}
}

// checkTemplate checks a template against the tool that answers it: the tool must take the template's variable.
func checkTemplate(from source, path string, template Template, tools []loadedTool) {
	tool, found := checkToolName(from, path+".tool", template.Tool, tools)
	takesStream := slices.ContainsFunc(tool.Arguments, func(argument Argument) bool { return argument.Name == "stream" })
	switch {
	case !found:
	case strings.HasSuffix(template.URI, "/{name}") && !takesStream:
		from.add(path+".tool", "is %q, which takes no stream for {name}; name a tool with the argument stream", tool.Name)
	case strings.HasSuffix(template.URI, "/{handle}") && tool.Target == nil:
		from.add(path+".tool", "is %q, which has no target for {handle}; name a tool with a target", tool.Name)
	}
}

func stemsOf(tools []loadedTool) []string {
	return textsOf(tools, func(tool loadedTool) string { return tool.stem })
}

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
