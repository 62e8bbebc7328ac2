package toolspec

import (
	"fmt"
	"slices"
	"strings"
)

// forbiddenArguments are names that no tool may have, and why.
var forbiddenArguments = map[string]string{
	"connector_instance_id": "name sources with connection_id (R-SURF-6)",
	"profile":               "there is one surface and no choice of it (R-SURF-2)",
	"toolset":               "there is one surface and no choice of it (R-SURF-2)",
	TargetWord:              "the word means the record that a call names",
}

// checkArguments checks the names and the parts of paths of a list of arguments.
func checkArguments(from source, arguments []Argument) {
	names := map[string]string{}
	for index, argument := range arguments {
		path := fmt.Sprintf("arguments[%d]", index)
		checkArgumentName(from, path+".name", argument.Name, names)
		if argument.Minimum != nil && argument.Maximum != nil && *argument.Minimum > *argument.Maximum {
			from.add(path+".minimum", "is %d, above the maximum %d; swap them", *argument.Minimum, *argument.Maximum)
		}
		if argument.Send == SendPath && argument.Type == "string" {
			checkSegment(from, path, argument)
		}
		if argument.As != "" && argument.As == argument.Name {
			from.add(path+".as", "repeats the argument's name; remove it")
		}
	}
	for index, argument := range arguments {
		if other := argument.DeclaredFor; other != "" && !slices.ContainsFunc(arguments, func(a Argument) bool { return a.Name == other }) {
			from.add(fmt.Sprintf("arguments[%d].declared_for", index), "is %q, which is not an argument of this tool; name one", other)
		}
		if other := argument.SentWith; other != "" && !slices.ContainsFunc(arguments, func(a Argument) bool { return a.Name == other && !a.Required }) {
			from.add(fmt.Sprintf("arguments[%d].sent_with", index), "is %q, which is not an optional argument of this tool; name one", other)
		}
		for number, alias := range argument.Aliases {
			checkArgumentName(from, fmt.Sprintf("arguments[%d].aliases[%d]", index, number), alias, names)
		}
	}
}

// checkArgumentName checks a name or an alias. Names that differ only by underscores count as equal: models mix them
// up, and their Go names may be the same.
func checkArgumentName(from source, path, name string, seen map[string]string) {
	if name == "" {
		return
	}
	if why, forbidden := forbiddenArguments[name]; forbidden {
		from.add(path, "must not be %q: %s", name, why)
	}
	folded := strings.ReplaceAll(name, "_", "")
	if first, twice := seen[folded]; twice {
		from.addOwn(path, "is %q, the same as %s except for underscores; give each argument its own name", name, first)
		return
	}
	seen[folded] = path
}

// checkSegment notes an argument whose value could leave its segment of the path.
func checkSegment(from source, path string, argument Argument) {
	word, known := Checks.find(argument.Check)
	switch {
	case argument.Check != "" && !known: // reported as an unknown word
	case argument.Check == "" && len(argument.Enum) > 0:
		for index, value := range argument.Enum {
			if !plainKey.MatchString(value) || strings.HasPrefix(value, ".") {
				from.add(fmt.Sprintf("%s.enum[%d]", path, index), "is %q, which is unsafe in a path; use letters, digits, _ and -", value)
			}
		}
	case argument.Check == "" && !from.complete:
	case argument.Check == "":
		from.add(path+".check", "is missing on a part of the path; use one of %s (R-ARG-7)", strings.Join(segmentChecks(), ", "))
	case !word.Segment:
		from.add(path+".check", "is %q, which is not safe for a part of the path; use one of %s (R-ARG-7)", argument.Check, strings.Join(segmentChecks(), ", "))
	}
}

func segmentChecks() []string {
	safe := slices.DeleteFunc(slices.Clone(Checks), func(word Word) bool { return !word.Segment })
	return safe.Names()
}

// shortCommands checks the commands that call a tool for MCP clients.
func (c *toolCheck) shortCommands() {
	for index, short := range c.tool.Commands {
		path := fmt.Sprintf("commands[%d]", index)
		for _, preset := range short.Set {
			argument, found := c.known(path+".set."+preset.Name, preset.Name)
			if found && argument.Type != "string" {
				c.add(path+".set."+preset.Name, "is for %s; only a string can be set", article(argument.Type))
			}
		}
		for _, by := range short.By {
			c.known(path+".by."+by.Name, by.Value)
		}
		for number, line := range short.Examples {
			if !strings.HasPrefix(line, short.Command) {
				c.add(fmt.Sprintf("%s.examples[%d]", path, number), "is %q; begin it with %s", line, short.Command)
			}
		}
	}
}

// positional checks the argument that follows the words of a command, or the name of a tool at a terminal. There it has
// a flag too, and so may be absent.
func (c *toolCheck) positional() {
	first := ""
	for index, argument := range c.tool.Arguments {
		if !argument.Positional {
			continue
		}
		path := fmt.Sprintf("arguments[%d].positional", index)
		switch {
		case first != "":
			c.addOwn(path, "is true for %s too; a command or a tool takes one argument without a flag", first)
			continue
		case argument.Type != "string": // the schema refuses it
		case c.tool.Terminal() && !argument.Required && c.complete:
			c.addOwn(path, "is true for an argument that may be absent; add required: true")
		}
		first = argument.Name
	}
}
