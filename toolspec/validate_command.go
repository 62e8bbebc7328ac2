package toolspec

import (
	"fmt"
	"strings"
)

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
