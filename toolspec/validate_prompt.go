package toolspec

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// checkPrompt checks a prompt: its text names its arguments and no others, and each call in it is one that its tool
// takes.
func checkPrompt(from source, prompt Prompt, tools []loadedTool) {
	seen := map[string]string{}
	for index, argument := range prompt.Arguments {
		checkUnique(from, fmt.Sprintf("arguments[%d].name", index), argument.Name, seen)
	}
	if !from.complete || !checkParts(from, prompt) {
		return
	}
	noted := map[string]bool{}
	for _, with := range []bool{true, false} {
		for _, call := range prompt.calls(with) {
			if fault := callFault(from, "text", call, tools); fault != "" && !noted[call+fault] {
				noted[call+fault] = true
				from.add("text", "has the call `%s`, %s", call, fault)
			}
		}
	}
}

// checkParts compares the arguments with the values in the text, both ways. It reports whether the text can be taken
// apart.
func checkParts(from source, prompt Prompt) bool {
	used := map[string]bool{}
	for _, part := range prompt.Parts() {
		if outside := part.Before + part.After; misplacedMark.MatchString(outside) {
			from.add("text", "has %s that is not around one value; "+
				"write << and >> around a value and what to leave out with it", misplacedMark.FindString(outside))
			return false
		}
		if part.Argument != "" {
			used[part.Argument] = true
			checkValue(from, prompt, part)
		}
	}
	for index, argument := range prompt.Arguments {
		if argument.Name != "" && !used[argument.Name] {
			from.add(fmt.Sprintf("arguments[%d].name", index), "is not in the text; write {%s} there, or remove it", argument.Name)
		}
	}
	if strings.Count(prompt.Text, "`")%2 != 0 {
		from.add("text", "has an odd number of backticks; write them around each call")
		return false
	}
	return true
}

var misplacedMark = regexp.MustCompile(`<<|>>|` + promptValue)

// checkValue checks a value in the text.
func checkValue(from source, prompt Prompt, part PromptPart) {
	argument, known := prompt.argument(part.Argument)
	switch {
	case !known:
		names := textsOf(prompt.Arguments, func(each PromptArgument) string { return each.Name })
		from.add("text", "%s", unknown("argument", part.Argument, names))
	case argument.Required && part.Optional:
		from.add("text", "has {%s} between << and >>, but that is always there; remove them", part.Argument)
	case !argument.Required && !part.Optional:
		from.add("text", "has {%s}, which may be absent; put << and >> around what to leave out then", part.Argument)
	case part.Moment != "" && argument.Form != FormDay:
		from.add("text", "has {%s.%s}, but only a day has moments; write {%s}", part.Argument, part.Moment, part.Argument)
	case !knownOrEmpty(PromptMoments, part.Moment):
		from.add("text", "%s", unknown("moment", part.Moment, PromptMoments.Names()))
	}
}

// callFault returns what is wrong with a call at a path, or an empty text.
func callFault(from source, path, call string, tools []loadedTool) string {
	name, arguments, _ := strings.Cut(call, " ")
	var members map[string]any
	if json.Unmarshal([]byte(arguments), &members) != nil {
		return "which is not a tool and a JSON object; write it as a client makes it"
	}
	tool, found := checkToolName(from, path, name, tools)
	if !found {
		return ""
	}
	for _, argument := range tool.Arguments {
		if value, given := members[argument.Name]; !given && argument.Required {
			return fmt.Sprintf("which lacks %s; add it", argument.Name)
		} else if given && !argument.takes(value) {
			return fmt.Sprintf("whose %s is not %s; write one", argument.Name, argument.wanted())
		}
		delete(members, argument.Name)
	}
	if left := slices.Sorted(maps.Keys(members)); left != nil {
		return "whose arguments are not all of the tool's: " + unknown("argument", left[0], argumentNames(tool))
	}
	return ""
}

func argumentNames(tool Tool) []string {
	return textsOf(tool.Arguments, func(each Argument) string { return each.Name })
}

// takes reports whether a decoded JSON value is of the argument's type and within its bounds.
func (a Argument) takes(value any) bool {
	switch typed := value.(type) {
	case string:
		return a.Type == "string" && (len(a.Enum) == 0 || slices.Contains(a.Enum, typed))
	case float64:
		return a.Type == "integer" && typed == math.Trunc(typed) &&
			(a.Minimum == nil || typed >= float64(*a.Minimum)) && (a.Maximum == nil || typed <= float64(*a.Maximum))
	case bool:
		return a.Type == "boolean"
	case []any:
		return a.Type == "string_list" && !slices.ContainsFunc(typed, func(item any) bool { _, isText := item.(string); return !isText })
	case map[string]any:
		return a.Type == "filter" || a.Type == "limits"
	}
	return false
}

// wanted says which values the argument takes.
func (a Argument) wanted() string {
	switch {
	case len(a.Enum) > 0:
		return "one of " + strings.Join(a.Enum, ", ")
	case a.Bounds() != "":
		return article(a.Type) + " of " + a.Bounds()
	}
	return article(a.Type)
}
