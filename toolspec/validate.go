package toolspec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// reservedTools are names that other generated files have.
var reservedTools = []string{"surface", "footprint", "commands", "skill"}

// checkName notes a name that is not snake_case. An empty name has been noted before.
func checkName(from source, path, name string) {
	if name != "" && !snakeCase.MatchString(name) {
		from.add(path, "is %q; write names in snake_case: small letters, digits and single underscores", name)
	}
}

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

// checkWord notes a word that a table does not have.
func checkWord(from source, path, kind, word string, table Words) {
	if _, known := table.find(word); word != "" && !known {
		from.add(path, "%s", unknown(kind, word, table.Names()))
	}
}

// checkPositive notes a budget below 1.
func checkPositive(from source, path string, value int) {
	if node := from.nodes[path]; node != nil && node.Kind == yaml.ScalarNode && node.ShortTag() == "!!int" && value < 1 {
		from.add(path, "is %d; a budget is at least 1", value)
	}
}

func checkShared(from source, file SharedFile) {
	for index, argument := range file.Arguments {
		if argument.Use != "" {
			from.add(fmt.Sprintf("arguments[%d].use", index), "is not allowed in shared.yaml; write the argument out")
		}
	}
	checkArguments(from, file.Arguments)
	seen := map[string]string{}
	for index, output := range file.Outputs {
		path := fmt.Sprintf("outputs[%d]", index)
		checkName(from, path+".name", output.Name)
		checkUnique(from, path+".name", output.Name, seen)
		checkProperties(from, path+".properties", output.Properties, !output.Unserved, "the output has no served schema; remove it, or unserved")
	}
}

// checkProperties checks properties of one object. If it is not in the served schema, unserved says why.
func checkProperties(from source, path string, properties []Property, isServed bool, unserved string) {
	if node := from.nodes[path]; node != nil && node.Kind == yaml.SequenceNode && len(properties) == 0 {
		from.add(path, "is an empty list; name the members of structured output")
	}
	seen := map[string]string{}
	for index, property := range properties {
		at := fmt.Sprintf("%s[%d]", path, index)
		checkName(from, at+".name", property.Name)
		checkUnique(from, at+".name", property.Name, seen)
		if property.Type != "" && !slices.Contains(PropertyTypes, property.Type) {
			from.add(at+".type", "%s", unknown("type", property.Type, PropertyTypes))
		}
		if property.Advertised && !isServed {
			from.add(at+".advertised", "is true, but %s", unserved)
		}
		if property.Brief != "" && !property.Advertised {
			from.add(at+".brief", "is for the served schema, which does not have this property; advertise it too, or remove brief")
		}
		isNested := property.Type == "object" || property.Type == "array"
		if !isNested && property.Properties != nil {
			from.add(at+".properties", "belong to an object or an array; change the type, or remove them")
		}
		if !isNested && property.OrNames {
			from.add(at+".or_names", "is for an object or an array; change the type, or remove it")
		}
		checkProperties(from, at+".properties", property.Properties, property.Advertised, "the property that it is in is not advertised")
	}
}

func checkSurface(from source, file SurfaceFile, tools []loadedTool) {
	checkPositive(from, "budget.bytes", file.Budget.Bytes)
	checkPositive(from, "budget.tokens", file.Budget.Tokens)
	checkPositive(from, "budget.instructions_characters", file.Budget.InstructionsCharacters)
	checkToolList(from, file, tools)
	names, uris := map[string]string{}, map[string]string{}
	for index, template := range file.Templates {
		path := fmt.Sprintf("templates[%d]", index)
		checkName(from, path+".name", template.Name)
		checkUnique(from, path+".name", template.Name, names)
		checkUnique(from, path+".uri", template.URI, uris)
		checkTemplate(from, path, template, tools)
	}
	for index, line := range file.Examples {
		name, _, _ := strings.Cut(line, " ")
		checkToolName(from, fmt.Sprintf("examples[%d]", index), name, tools)
	}
	checkCalls(from, file.Calls, tools)
	checkRefusals(from, file.Refusals, tools)
}

// checkToolList compares the lists of surface.yaml with the files of the folder tools, both ways. A tool must be in the list of
// its surface, so that none is offered to MCP clients by mistake (R-SURF-1).
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
	stems, seen, commands := stemsOf(tools), map[string]string{}, map[string]string{}
	for number, name := range list {
		path := fmt.Sprintf("%s[%d]", key, number)
		checkUnique(from, path, name, seen)
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

// templatePattern is the form of a resource's URI: one variable, at the end (R-RES-1).
var templatePattern = regexp.MustCompile(`^pdpp://[a-z][a-z0-9-]*/\{([^{}]*)\}$`)

// checkTemplate checks a template against the tool that answers it: the tool must take the template's variable.
func checkTemplate(from source, path string, template Template, tools []loadedTool) {
	match := templatePattern.FindStringSubmatch(template.URI)
	variable := ""
	switch {
	case template.URI == "":
	case match == nil:
		from.add(path+".uri", `is %q; write it as pdpp://kind/{name} or pdpp://kind/{handle}`, template.URI)
	case match[1] != "name" && match[1] != "handle":
		from.add(path+".uri", "%s", unknown("variable", match[1], []string{"name", "handle"}))
	default:
		variable = match[1]
	}
	if template.MIMEType != "" && !strings.Contains(strings.Trim(template.MIMEType, "/"), "/") {
		from.add(path+".mime_type", "is %q; write a media type such as text/plain", template.MIMEType)
	}
	checkWord(from, path+".complete", "complete word", template.Complete, PromptCompletions)
	tool, found := checkToolName(from, path+".tool", template.Tool, tools)
	takesStream := slices.ContainsFunc(tool.Arguments, func(argument Argument) bool { return argument.Name == "stream" })
	switch {
	case !found:
	case variable == "name" && !takesStream:
		from.add(path+".tool", "is %q, which takes no stream for {name}; name a tool with the argument stream", tool.Name)
	case variable == "handle" && tool.Target == nil:
		from.add(path+".tool", "is %q, which has no target for {handle}; name a tool with a target", tool.Name)
	}
}

func stemsOf(tools []loadedTool) []string {
	list := make([]string, 0, len(tools))
	for _, tool := range tools {
		list = append(list, tool.stem)
	}
	return list
}
