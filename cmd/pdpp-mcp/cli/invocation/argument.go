package invocation

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

// ArgumentFlags are the flags that stand for the arguments of a tool: connection_id is --connection-id.
type ArgumentFlags struct {
	values []*ArgumentValue
	whole  string // all arguments as one JSON object, in place of the flags

	positional *ArgumentValue // the one that stands behind the command's words, without a flag; may be nil
}

func NewArgumentFlags(flags *pflag.FlagSet, arguments []tool.Argument) *ArgumentFlags {
	made := &ArgumentFlags{}
	for _, argument := range arguments {
		value := &ArgumentValue{Argument: argument}
		made.values = append(made.values, value)
		if argument.Positional {
			made.positional = value
			continue
		}
		flag := flags.VarPF(value, FlagName(argument.Name), "", value.usage())
		if argument.Type == tool.BooleanArgument {
			flag.NoOptDefVal = "true"
		}
	}
	flags.StringVar(&made.whole, "json", "", "the arguments as one JSON object, in place of their flags")
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(FlagName(name)) // the names of the schema are right too
	})
	flags.SortFlags = false // arguments in the order of the schema, then the rest
	return made
}

// takePositional takes what stands behind the command's words.
func (a *ArgumentFlags) takePositional(command *cobra.Command, passed []string) error {
	if a.positional == nil || a.whole != "" {
		return NoArguments(command, passed)
	}
	if len(passed) != 1 {
		return Usagef("%s takes one <%s>, got %d; run: %[1]s --help",
			command.CommandPath(), FlagName(a.positional.Argument.Name), len(passed))
	}
	return a.positional.Set(passed[0])
}

func FlagName(argument string) string { return strings.ReplaceAll(argument, "_", "-") }

// Object is what was passed, as the tool takes it. Checks are the tool's own, so that a terminal and a model
// are told the same.
func (a *ArgumentFlags) Object() (json.RawMessage, error) {
	var members []string
	for _, value := range a.values {
		if value.passed() {
			members = append(members, quote(value.Argument.Name)+":"+value.json())
		}
	}
	if a.whole != "" {
		if len(members) > 0 {
			return nil, Usagef("--json stands beside flags of arguments; pass all arguments in one of the two ways")
		}
		return json.RawMessage(a.whole), nil
	}
	return json.RawMessage("{" + strings.Join(members, ",") + "}"), nil
}

// ArgumentValue collects what was passed for one argument. It is a pflag.Value.
type ArgumentValue struct {
	Argument tool.Argument
	Single   *string  // of a string or an integer
	items    []string // of a list
	entries  []entry  // of a filter or of limits
}

// entry is field=value or field.operator=value.
type entry struct{ name, operator, value string }

var operators = []string{"gte", "gt", "lte", "lt"}

func (v *ArgumentValue) usage() string {
	usage := v.Argument.Description
	switch v.Argument.Type { // descriptions of objects show JSON, which flags do not take
	case tool.StringListArgument:
		usage += " Separated by commas, or repeated."
	case tool.FilterArgument:
		usage = "field=value, or field.gte=value with gte, gt, lte or lt; repeated for more."
	case tool.LimitsArgument:
		usage = "relation=number; repeated for more."
	}
	if v.Argument.Required {
		usage += " Required."
	}
	return strings.TrimSpace(usage)
}

// Type is the placeholder in the help.
func (v *ArgumentValue) Type() string {
	switch v.Argument.Type {
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
func (v *ArgumentValue) String() string { return "" }

func (v *ArgumentValue) passed() bool { return v.Single != nil || v.items != nil || v.entries != nil }

// Set takes what stands behind one use of the flag.
func (v *ArgumentValue) Set(passed string) error {
	switch v.Argument.Type {
	case tool.IntegerArgument:
		if _, err := strconv.ParseInt(passed, 10, 64); err != nil {
			return fmt.Errorf("%q is not a whole number", passed)
		}
		v.Single = &passed
	case tool.BooleanArgument:
		if passed != "true" && passed != "false" {
			return fmt.Errorf("%q is not true or false", passed)
		}
		v.Single = &passed
	case tool.StringListArgument:
		v.items = append(v.items, strings.Split(passed, ",")...)
	case tool.FilterArgument, tool.LimitsArgument:
		return v.setEntry(passed)
	default:
		v.Single = &passed
	}
	return nil
}

func (v *ArgumentValue) setEntry(passed string) error {
	name, value, found := strings.Cut(passed, "=")
	if !found || name == "" {
		return fmt.Errorf("%q is not %s", passed, map[bool]string{true: "field=value", false: "relation=number"}[v.Argument.Type == tool.FilterArgument])
	}
	added := entry{name: name, value: value}
	if v.Argument.Type == tool.LimitsArgument {
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
func (v *ArgumentValue) json() string {
	switch v.Argument.Type {
	case tool.IntegerArgument, tool.BooleanArgument:
		return *v.Single
	case tool.StringListArgument:
		quoted := make([]string, len(v.items))
		for i, item := range v.items {
			quoted[i] = quote(item)
		}
		return "[" + strings.Join(quoted, ",") + "]"
	case tool.LimitsArgument, tool.FilterArgument:
		return v.entriesObject()
	}
	return quote(*v.Single)
}

func (v *ArgumentValue) entriesObject() string {
	var members []string
	var ranges []string // the fields whose operators are written already
	for _, each := range v.entries {
		switch {
		case v.Argument.Type == tool.LimitsArgument:
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

func (v *ArgumentValue) rangeOf(field string) []string {
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

// ObjectWith is what was passed, with what stands behind the command's words.
func (a *ArgumentFlags) ObjectWith(command *cobra.Command, passed []string) (json.RawMessage, error) {
	if err := a.takePositional(command, passed); err != nil {
		return nil, err
	}
	return a.Object()
}
