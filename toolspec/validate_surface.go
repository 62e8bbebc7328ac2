package toolspec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	commandWords = regexp.MustCompile(`^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*)*$`)
	shortCommand = regexp.MustCompile(`^[a-z]+$`)
)

// surface checks the keys for a tool's surface: an mcp tool has a budget and an output, a terminal tool has a command.
func (c *toolCheck) surface() {
	if surface := c.tool.Surface; surface != "" && !slices.Contains(SurfaceNames, surface) {
		c.add("surface", "%s", unknown("surface", surface, SurfaceNames))
		return
	}
	if c.tool.Terminal() {
		c.terminal()
		return
	}
	checkPositive(c.source, "budget.bytes", c.tool.Budget.Bytes)
	for _, key := range []string{"budget", "output"} {
		if !c.has(key) {
			c.lacks(key, "is missing; add it")
		}
	}
	for index, short := range c.tool.Commands {
		c.shortCommand(fmt.Sprintf("commands[%d]", index), short)
	}
	for _, key := range []string{"command", "examples", "result.columns", "result.secret"} {
		if c.has(key) {
			c.add(key, "is for commands of the terminal; remove it, or add surface: terminal")
		}
	}
	c.positional()
}

func (c *toolCheck) shortCommand(path string, short ShortCommand) {
	if short.Command != "" && !shortCommand.MatchString(short.Command) {
		c.add(path+".command", "is %q; write one word of small letters", short.Command)
	}
	if c.tool.Result == nil || c.tool.Result.Table == "" {
		c.add(path, "needs result.table, which says what the rows are; add it, or remove the command")
	}
	for _, preset := range short.Set {
		argument, _, found := c.argument(preset.Name)
		switch {
		case !found && c.complete:
			c.add(path+".set."+preset.Name, "%s", unknown("argument", preset.Name, argumentNames(c.tool)))
		case found && argument.Type != "string":
			c.add(path+".set."+preset.Name, "is for %s; only a string can be set", article(argument.Type))
		}
	}
	for _, by := range short.By {
		if _, _, found := c.argument(by.Value); !found && c.complete {
			c.add(path+".by."+by.Name, "%s", unknown("argument", by.Value, argumentNames(c.tool)))
		}
	}
	for index, line := range short.Examples {
		if !strings.HasPrefix(line, short.Command) {
			c.add(fmt.Sprintf("%s.examples[%d]", path, index), "is %q; begin it with %s", line, short.Command)
		}
	}
}

func (c *toolCheck) terminal() {
	switch command := c.tool.Command; {
	case !c.has("command"):
		c.lacks("command", "is missing; write the words after pdpp-mcp")
	case command != "" && !commandWords.MatchString(command):
		c.add("command", "is %q; write small letters, digits and -, with one space between words", command)
	}
	for _, key := range []string{"budget", "output", "commands", "result.table", "result.pages"} {
		if c.has(key) {
			c.add(key, "is for tools of MCP clients; remove it, a command has none")
		}
	}
	if request := c.tool.Request; request != nil && request.Sources != nil && request.Method != Method {
		c.add("request.sources", "is not allowed with %s; remove it, a change is sent with a single grant", request.Method)
	}
	if c.has("request.read_on") {
		c.add("request.read_on", "is for tools of MCP clients; remove it, a command shows the response")
	}
	if result := c.tool.Result; result != nil && result.Render == RenderFile {
		c.file()
	}
	c.positional()
}

// file checks a command that saves a file. Its generated code only builds the request, so it cannot have gates or a target.
func (c *toolCheck) file() {
	if request := c.tool.Request; request != nil && request.Method != Method {
		c.add("result.render", "is %s, but only %s gives bytes; use another renderer", RenderFile, Method)
	}
	for _, key := range []string{"target", "preconditions"} {
		if c.has(key) {
			c.add(key, "is not allowed with render: %s; remove it", RenderFile)
		}
	}
}

// positional checks the argument that follows the words of a command, or the name of a tool at a terminal. There it has a flag
// too, and so may be absent.
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
		case argument.Type != "string" && argument.Type != "":
			c.addOwn(path, "is true for %s; only a string can be positional", article(argument.Type))
		case c.tool.Terminal() && !argument.Required && c.complete:
			c.addOwn(path, "is true for an argument that may be absent; add required: true")
		}
		first = argument.Name
	}
}

// method checks that mcp tools only read (R-SURF-3), and that only methods with a body send one.
func (c *toolCheck) method() {
	method := c.tool.Request.Method
	switch {
	case method == "":
		return
	case !c.tool.Terminal() && method != Method:
		c.add("request.method", "is %q; the tools only read, write %s", method, Method)
	case !slices.Contains(Methods, method):
		c.add("request.method", "%s", unknown("method", method, Methods))
	}
	if method == "POST" || method == "PATCH" {
		return
	}
	for index, argument := range c.tool.Arguments {
		if argument.Send == SendBody {
			c.addOwn(fmt.Sprintf("arguments[%d].send", index), "is %s, but %s sends none; send it as query", SendBody, method)
		}
	}
}
