package toolspec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
)

// TargetWord is the name of the target in bindings and paths.
const TargetWord = "target"

// preconditions checks the gates of a tool.
func (c *toolCheck) preconditions() {
	for index, precondition := range c.tool.Preconditions {
		path := fmt.Sprintf("preconditions[%d]", index)
		for number, name := range precondition.When {
			key := fmt.Sprintf("%s.when[%d]", path, number)
			if _, found := c.reference(key, name); !found {
				continue
			}
			if argument, _, _ := c.argument(name); argument.Required {
				c.add(key, "is %q, which is always given, so the gate always applies; remove when", name)
			}
		}
		c.word(path, precondition.Gate, Gates, precondition.With)
	}
}

// word checks the bindings of a word in `with`.
func (c *toolCheck) word(path, name string, table Words, with Bindings) {
	word, known := table.find(name)
	if !known {
		for _, binding := range with {
			c.used[binding.Value] = true
		}
		return
	}
	meant := map[string]bool{}
	for _, binding := range with {
		key := joinKey(path+".with", binding.Name)
		parameter, found := word.parameter(binding.Name)
		if !found {
			c.add(key, "%s", unknown("parameter of "+name, binding.Name, parameterNames(word)))
			c.used[binding.Value] = true
			meant[nearname.Nearest(binding.Name, parameterNames(word))] = true
			continue
		}
		c.binding(key, parameter.Kind, binding.Value)
	}
	for _, parameter := range word.Parameters {
		if _, bound := with.Get(parameter.Name); c.complete && !bound && !meant[parameter.Name] && c.mustBind(parameter) {
			c.add(path+".with."+parameter.Name, "is missing; bind it, %s takes %s", name, article(parameter.Kind.Name))
		}
	}
}

// mustBind reports whether a parameter must be bound: it is required, or the tool has an argument of its name, which
// would otherwise be ignored. A call that results suggest names an argument for each.
func (c *toolCheck) mustBind(parameter Parameter) bool {
	_, _, found := c.argument(parameter.Name)
	return c.ofCall || found || !parameter.Kind.Optional
}

func parameterNames(word Word) []string {
	return textsOf(word.Parameters, func(each Parameter) string { return each.Name })
}

// binding checks the value of one parameter.
func (c *toolCheck) binding(key string, kind Kind, value string) {
	refuse := func(given string) {
		c.add(key, "is %q, %s, but %s is wanted; bind another", value, given, article(kind.Name))
	}
	part, ofTarget := strings.CutPrefix(value, TargetWord+".")
	isString := kind == KindString || kind == KindOptionalString
	switch {
	case value == "":
	case (ofTarget || value == TargetWord) && !c.has("target"):
		c.add(key, "is %q, but the tool has no target; add one", value)
	case value == TargetWord && kind != KindTarget:
		refuse("the whole target")
	case ofTarget && !slices.Contains(TargetParts, part):
		c.add(key, "%s", unknown("part of the target", part, TargetParts))
	case ofTarget && !isString:
		refuse("a part of the target")
	case ofTarget && kind == KindString && part == OptionalTargetPart:
		refuse("which may be absent")
	case !ofTarget && value != TargetWord:
		c.argumentBinding(key, kind, value, refuse)
	}
}

// argumentBinding checks an argument as the value of a parameter.
func (c *toolCheck) argumentBinding(key string, kind Kind, name string, refuse func(given string)) {
	argument, found := c.reference(key, name)
	if _, typed := ArgumentTypes.find(argument.Type); !found || !typed {
		return
	}
	switch {
	case kind == KindName:
	case argument.Type != kind.argumentType:
		refuse(article(argument.Type))
	case kind == KindString && !argument.Required && c.complete:
		c.add(key, "is %q, which may be absent, but a value is always wanted; add required: true to it, or bind another",
			name)
	case !c.ofCall && c.tool.Target != nil && c.tool.Request != nil && c.resolvedAs(name) != "":
		c.add(key, "is %q as it was passed; bind target.%s, which knows the id too", name, c.resolvedAs(name))
	}
}

// resolvedAs returns the part of the target that an argument helps to name, or an empty string.
func (c *toolCheck) resolvedAs(name string) string {
	switch target := c.tool.Target; name {
	case target.ConnectionID:
		return "connection_id"
	case target.Stream:
		return "stream"
	case target.RecordID:
		return "record_id"
	}
	return ""
}
