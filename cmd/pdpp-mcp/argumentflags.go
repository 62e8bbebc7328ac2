package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// argumentFlags are the flags that stand for the arguments of a tool: connection_id is --connection-id.
type argumentFlags struct {
	values []*argumentValue
	whole  string // all arguments as one JSON object, in place of the flags

	positional *argumentValue // the one that stands behind the command's words, without a flag; may be nil
}

func newArgumentFlags(flags *pflag.FlagSet, arguments []tool.Argument) *argumentFlags {
	made := &argumentFlags{}
	for _, argument := range arguments {
		value := &argumentValue{argument: argument}
		made.values = append(made.values, value)
		if argument.Positional {
			made.positional = value
			continue
		}
		flag := flags.VarPF(value, flagName(argument.Name), "", value.usage())
		if argument.Type == tool.BooleanArgument {
			flag.NoOptDefVal = "true"
		}
	}
	flags.StringVar(&made.whole, "json", "", "the arguments as one JSON object, in place of their flags")
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(flagName(name)) // the names of the schema are right too
	})
	flags.SortFlags = false // arguments in the order of the schema, then the rest
	return made
}

// takePositional takes what stands behind the command's words.
func (a *argumentFlags) takePositional(command *cobra.Command, passed []string) error {
	if a.positional == nil || a.whole != "" {
		return noArguments(command, passed)
	}
	if len(passed) != 1 {
		return &usageError{fmt.Sprintf("%s takes one <%s>, got %d; run: %[1]s --help",
			command.CommandPath(), flagName(a.positional.argument.Name), len(passed))}
	}
	return a.positional.Set(passed[0])
}

func flagName(argument string) string { return strings.ReplaceAll(argument, "_", "-") }

// object is what was passed, as the tool takes it. Checks are the tool's own, so that a terminal and a model
// are told the same.
func (a *argumentFlags) object() (json.RawMessage, error) {
	var members []string
	for _, value := range a.values {
		if value.passed() {
			members = append(members, quote(value.argument.Name)+":"+value.json())
		}
	}
	if a.whole != "" {
		if len(members) > 0 {
			return nil, &usageError{"--json stands beside flags of arguments; pass all arguments in one of the two ways"}
		}
		return json.RawMessage(a.whole), nil
	}
	return json.RawMessage("{" + strings.Join(members, ",") + "}"), nil
}

// argumentValue collects what was passed for one argument. It is a pflag.Value.
type argumentValue struct {
	argument tool.Argument
	single   *string  // of a string or an integer
	items    []string // of a list
	entries  []entry  // of a filter or of limits
}

// entry is field=value or field.operator=value.
type entry struct{ name, operator, value string }

var operators = []string{"gte", "gt", "lte", "lt"}

func (v *argumentValue) usage() string {
	usage := v.argument.Description
	switch v.argument.Type { // descriptions of objects show JSON, which flags do not take
	case tool.StringListArgument:
		usage += " Separated by commas, or repeated."
	case tool.FilterArgument:
		usage = "field=value, or field.gte=value with gte, gt, lte or lt; repeated for more."
	case tool.LimitsArgument:
		usage = "relation=number; repeated for more."
	}
	if v.argument.Required {
		usage += " Required."
	}
	return strings.TrimSpace(usage)
}

// Type is the placeholder in the help.
func (v *argumentValue) Type() string {
	switch v.argument.Type {
	case tool.IntegerArgument:
		return "number"
	case tool.BooleanArgument:
		return "bool"
	case tool.StringListArgument:
		return "list"
	case tool.FilterArgument, tool.LimitsArgument:
		return "entry"
	}
	return "text"
}

// String is the default, of which an argument has none.
func (v *argumentValue) String() string { return "" }

func (v *argumentValue) passed() bool { return v.single != nil || v.items != nil || v.entries != nil }

// Set takes what stands behind one use of the flag.
func (v *argumentValue) Set(passed string) error {
	switch v.argument.Type {
	case tool.IntegerArgument:
		if _, err := strconv.ParseInt(passed, 10, 64); err != nil {
			return fmt.Errorf("%q is not a whole number", passed)
		}
		v.single = &passed
	case tool.BooleanArgument:
		if passed != "true" && passed != "false" {
			return fmt.Errorf("%q is not true or false", passed)
		}
		v.single = &passed
	case tool.StringListArgument:
		v.items = append(v.items, strings.Split(passed, ",")...)
	case tool.FilterArgument, tool.LimitsArgument:
		return v.setEntry(passed)
	default:
		v.single = &passed
	}
	return nil
}

func (v *argumentValue) setEntry(passed string) error {
	name, value, found := strings.Cut(passed, "=")
	if !found || name == "" {
		return fmt.Errorf("%q is not %s", passed, map[bool]string{true: "field=value", false: "relation=number"}[v.argument.Type == tool.FilterArgument])
	}
	added := entry{name: name, value: value}
	if v.argument.Type == tool.LimitsArgument {
		if _, err := strconv.ParseInt(value, 10, 64); err != nil {
			return fmt.Errorf("%q is not relation=number", passed)
		}
	} else if at := strings.LastIndexByte(name, '.'); at > 0 && slices.Contains(operators, name[at+1:]) {
		added.name, added.operator = name[:at], name[at+1:]
	}
	if slices.ContainsFunc(v.entries, func(e entry) bool {
		return e.name == added.name && (e.operator == added.operator || e.operator == "" || added.operator == "")
	}) {
		return fmt.Errorf("%q says a second time what holds for %s", passed, added.name)
	}
	v.entries = append(v.entries, added)
	return nil
}

// json is the value as the tool takes it. A filter compares text, so its values keep their spelling.
func (v *argumentValue) json() string {
	switch v.argument.Type {
	case tool.IntegerArgument, tool.BooleanArgument:
		return *v.single
	case tool.StringListArgument:
		quoted := make([]string, len(v.items))
		for i, item := range v.items {
			quoted[i] = quote(item)
		}
		return "[" + strings.Join(quoted, ",") + "]"
	case tool.LimitsArgument, tool.FilterArgument:
		return v.entriesObject()
	}
	return quote(*v.single)
}

func (v *argumentValue) entriesObject() string {
	var members []string
	var ranges []string // the fields whose operators are written already
	for _, each := range v.entries {
		switch {
		case v.argument.Type == tool.LimitsArgument:
			members = append(members, quote(each.name)+":"+each.value)
		case each.operator == "":
			members = append(members, quote(each.name)+":"+quote(each.value))
		case !slices.Contains(ranges, each.name):
			ranges = append(ranges, each.name)
			members = append(members, quote(each.name)+":{"+strings.Join(v.rangeOf(each.name), ",")+"}")
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (v *argumentValue) rangeOf(field string) []string {
	var members []string
	for _, each := range v.entries {
		if each.name == field {
			members = append(members, quote(each.operator)+":"+quote(each.value))
		}
	}
	return members
}

func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(quoted)
}
