package toolspec

import (
	"fmt"
	"slices"
)

// toolCheck checks one tool as a whole.
type toolCheck struct {
	source
	tool        Tool
	used        map[string]bool // arguments that reach the request, a gate or the answer
	ofCall      bool            // a call that results suggest names the arguments of the tool
	namesTarget bool            // a path has a part of the target
}

func checkTool(from source, tool Tool, common shared) {
	check := &toolCheck{source: from, tool: tool, used: map[string]bool{}}
	check.shortCommands()
	check.positional()
	for index, argument := range tool.Arguments {
		if argument.Name == "" {
			check.complete = false
		}
		if from.has(fmt.Sprintf("arguments[%d].send", index)) {
			check.used[argument.Name] = true
		}
	}
	checkArguments(check.source, tool.Arguments)
	outputs := textsOf(common.Outputs, func(output Output) string { return output.Name })
	if tool.Output != "" && common.complete && !slices.Contains(outputs, tool.Output) {
		from.add("output", "%s", unknown("output", tool.Output, outputs))
	}
	check.sentNames()
	check.target()
	check.preconditions()
	check.answer()
	if tool.Target != nil && tool.Request != nil && !check.namesTarget {
		from.add("target", "is used by nothing; name {target.stream} and {target.record_id} in the path, or remove it")
	}
	check.unusedArguments()
}

// argument returns an argument by name, and its path.
func (c *toolCheck) argument(name string) (Argument, string, bool) {
	index := slices.IndexFunc(c.tool.Arguments, func(argument Argument) bool { return argument.Name == name && name != "" })
	if index < 0 {
		return Argument{}, "", false
	}
	return c.tool.Arguments[index], fmt.Sprintf("arguments[%d]", index), true
}

// reference returns an argument that a path or a binding names, and notes an unknown one.
func (c *toolCheck) reference(path, name string) (Argument, bool) {
	argument, found := c.known(path, name)
	c.used[name] = c.used[name] || found
	return argument, found
}

// known returns an argument that is named at a path, and notes an unknown one.
func (c *toolCheck) known(path, name string) (Argument, bool) {
	argument, _, found := c.argument(name)
	if !found && name != "" && c.complete {
		c.add(path, "%s", unknown("argument", name, argumentNames(c.tool)))
	}
	return argument, found
}

// sentNames notes two arguments that would be sent under one name.
func (c *toolCheck) sentNames() {
	seen := map[string]string{}
	for index, argument := range c.tool.Arguments {
		if argument.Send == "" || argument.Send == SendPath || argument.Name == "" {
			continue
		}
		path, name, key := fmt.Sprintf("arguments[%d]", index), argument.SentName(), "name"
		if argument.As != "" {
			key = "as"
		}
		if first, twice := seen[name]; twice && first != argument.Name && !c.excluded(first, argument.Name) {
			c.addOwn(path+"."+key, "sends %q, which %s sends too; rename one with as", name, first)
		}
		seen[name] = argument.Name
	}
}

// excluded reports whether a gate takes both arguments, which then refuses them together.
func (c *toolCheck) excluded(one, other string) bool {
	return slices.ContainsFunc(c.tool.Preconditions, func(p Precondition) bool {
		takes := func(name string) bool {
			return slices.ContainsFunc(p.With, func(binding Binding) bool { return binding.Value == name })
		}
		return takes(one) && takes(other)
	})
}

// target checks the arguments that name one record.
func (c *toolCheck) target() {
	target := c.tool.Target
	if target == nil || c.has("operation") && !c.has("request") {
		return
	}
	parts := []struct{ key, name string }{
		{"id", target.ID}, {"connection_id", target.ConnectionID}, {"stream", target.Stream}, {"record_id", target.RecordID},
	}
	seen := map[string]string{}
	for _, part := range parts {
		path := "target." + part.key
		checkUnique(c.source, path, part.name, seen)
		argument, found := c.reference(path, part.name)
		if !found {
			continue
		}
		_, at, _ := c.argument(part.name)
		switch {
		case argument.Type != "string" && argument.Type != "":
			c.add(path, "is %q, %s; a target is named by strings", part.name, article(argument.Type))
		case part.key == "connection_id" && argument.Required:
			c.addOwn(at+".required", "is true, but the target may have its connection from the id; remove it")
		case part.key != "connection_id" && argument.Send != "":
			c.addOwn(at+".send", "sends a part of the target by itself; remove it, the path names a part of the target")
		}
		if part.key == "stream" || part.key == "record_id" {
			checkSegment(c.source, at, argument)
		}
	}
	c.targetChoice(target)
}

// targetChoice checks the ways to name a record: a required id, or an id or a pair.
func (c *toolCheck) targetChoice(target *Target) {
	pair := c.has("target.stream")
	if pair != c.has("target.record_id") {
		return // the schema refuses it
	}
	argument, at, found := c.argument(target.ID)
	if found && !pair && !argument.Required && c.complete {
		c.addOwn(at+".required", "is not true, and nothing else names the record; add it, or give the target stream and record_id")
	}
	if found && pair && argument.Required {
		c.addOwn(at+".required", "is true, but stream and record_id may name the record instead; remove it")
	}
}

// answer checks what follows the gates: a request and its renderer, or an operation.
func (c *toolCheck) answer() {
	c.request()
	if request := c.tool.Request; request != nil && request.Sources != nil {
		c.word("request.sources", request.Sources.From, SourceWords, request.Sources.With)
	}
	if request := c.tool.Request; request != nil && request.ReadOn != nil {
		c.word("request.read_on", request.ReadOn.As, ReadOnWords, request.ReadOn.With)
	}
	if result := c.tool.Result; result != nil {
		c.word("result", result.Render, c.tool.Renderers(), result.With)
		c.cursor("result.pages", result.Pages)
		c.cursor("result.changes", result.Changes)
	}
	if operation := c.tool.Operation; operation != nil {
		c.word("operation", operation.Run, Operations, operation.With)
	}
}

// cursor checks an argument for a cursor. A call without it reads the first page.
func (c *toolCheck) cursor(path, name string) {
	argument, found := c.reference(path, name)
	switch {
	case found && argument.Type != "string" && argument.Type != "":
		c.add(path, "is %q, %s; a cursor is a string", name, article(argument.Type))
	case found && argument.Required:
		c.add(path, "is %q, which is always given; the first page has no cursor, so remove required from it", name)
	}
}

// unusedArguments notes arguments without effect.
func (c *toolCheck) unusedArguments() {
	if !c.complete {
		return
	}
	for index, argument := range c.tool.Arguments {
		if argument.Name != "" && !c.used[argument.Name] {
			c.addOwn(fmt.Sprintf("arguments[%d].send", index), "is missing, and nothing else uses %s; add it, or remove the argument", argument.Name)
		}
	}
}
