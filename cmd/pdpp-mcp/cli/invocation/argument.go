package invocation

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Arguments are the flags of a tool's arguments. The argument connection_id is the flag --connection-id.
type Arguments struct {
	MayMiss bool // the tool reports a missing positional argument

	values     []*ArgumentValue
	positional *ArgumentValue // nil if the command has none
	object     string         // of --json: all arguments as one JSON object
}

// AddArguments adds a flag for each argument. For a tool, it also adds --json for all arguments together. Other
// commands hide the flag of a positional argument.
func AddArguments(flags *pflag.FlagSet, arguments []tool.Argument, ofTool bool) *Arguments {
	made := &Arguments{MayMiss: ofTool}
	for _, argument := range arguments {
		value := &ArgumentValue{Argument: argument}
		made.values = append(made.values, value)
		if argument.Positional {
			made.positional = value
		}
		flag := flags.VarPF(value, FlagName(argument.Name), "", value.usage())
		if argument.Type == tool.BooleanArgument {
			flag.NoOptDefVal = "true"
		}
		flag.Hidden = argument.Positional && !ofTool
		MarkArguments(flags, flag.Name)
	}
	if ofTool {
		flags.StringVar(&made.object, "json", "", "all arguments as one JSON `object`, instead of their flags; @file or - reads it from a file or from stdin")
		MarkArguments(flags, "json")
	}
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(FlagName(name)) // accepts connection_id for connection-id
	})
	flags.SortFlags = false // keeps the order of the spec
	return made
}

// The annotations of the two kinds of flags that the help lists separately.
const (
	argumentFlag = "argument"
	sharedFlag   = "shared"
)

// MarkArguments marks flags that set arguments of a call.
func MarkArguments(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		annotate(flags, name, argumentFlag, "")
	}
}

// IsArgument reports whether a flag sets arguments of a call.
func IsArgument(flag *pflag.Flag) bool { return flag.Annotations[argumentFlag] != nil }

// IsShared reports whether every command that reads data has a flag.
func IsShared(flag *pflag.Flag) bool { return flag.Annotations[sharedFlag] != nil }

// HasObject reports whether the arguments of a call were passed as one object.
func HasObject(command *cobra.Command) bool {
	flag := command.Flag("json")
	return flag != nil && flag.Changed && IsArgument(flag)
}

// FlagName returns the name of an argument's flag.
func FlagName(argument string) string { return strings.ReplaceAll(argument, "_", "-") }

// Object returns the passed arguments as the JSON object for the tool, which checks the values. Words are the
// positional arguments.
func (a *Arguments) Object(command *cobra.Command, words []string) (json.RawMessage, error) {
	if err := a.setPositional(command, words); err != nil {
		return nil, err
	}
	var object rawjson.Object
	for _, value := range a.values {
		if value.passed != nil {
			object = append(object, rawjson.Raw(value.Argument.Name, value.passed))
		}
	}
	switch {
	case a.object == "":
		return object.Encode(), nil
	case len(object) > 0:
		return nil, Usagef("--json cannot be combined with flags of arguments; pass all arguments in one of the two ways")
	}
	return a.readObject(command.InOrStdin())
}

// maxObjectBytes bounds the arguments that --json reads. Calls over stdio have the same bound.
const maxObjectBytes = 4 << 20

// readObject returns the object of --json, which may be in a file or on standard input.
func (a *Arguments) readObject(in io.Reader) (json.RawMessage, error) {
	name, isFile := strings.CutPrefix(a.object, "@")
	switch {
	case isFile:
		file, err := os.Open(name)
		if err != nil {
			return nil, Usagef("--json cannot be read: %v", err)
		}
		defer file.Close()
		in = file
	case a.object != "-":
		return json.RawMessage(a.object), nil
	}
	object, err := io.ReadAll(io.LimitReader(in, maxObjectBytes+1))
	if err != nil {
		return nil, Usagef("--json cannot be read: %v", err)
	}
	if len(object) > maxObjectBytes {
		return nil, Usagef("--json holds more than %d bytes; pass the arguments of one call", maxObjectBytes)
	}
	return object, nil
}

func (a *Arguments) setPositional(command *cobra.Command, words []string) error {
	if a.positional == nil || a.object != "" {
		return NoArguments(command, words)
	}
	name := FlagName(a.positional.Argument.Name)
	switch {
	case len(words) == 0 && a.MayMiss:
		return nil // or it may have been passed with its flag
	case len(words) != 1:
		return Usagef("%s takes one <%s>, got %d; put words with spaces into quotes, or run: %[1]s --help", command.CommandPath(), name, len(words))
	case a.positional.passed != nil:
		return Usagef("<%s> is passed twice: as %q and with --%[1]s; pass it once", name, words[0])
	}
	return a.positional.Set(words[0])
}

// Usage returns the positional argument for the usage line, with a space before it.
func (a *Arguments) Usage() string {
	if a.positional == nil {
		return ""
	}
	name := FlagName(a.positional.Argument.Name)
	if a.positional.Argument.Required {
		return " <" + name + ">"
	}
	return " [" + name + "]"
}

// ArgumentValue collects the values that were passed for one argument. It is a pflag.Value.
type ArgumentValue struct {
	Argument tool.Argument

	passed json.RawMessage // JSON for the tool; nil if not passed
}

// Text returns the value of a string argument, or an empty string.
func (v *ArgumentValue) Text() string {
	text, _ := rawjson.Text(v.passed)
	return text
}

// Words returns the words that pass a value to the flag, one for each use of the flag. It returns false if the words
// would not set the same value, or cannot be shown on every terminal.
func (v *ArgumentValue) Words(value json.RawMessage) ([]string, bool) {
	words := []string{plain(value)}
	switch v.Argument.Type {
	case tool.StringListArgument:
		elements, _ := rawjson.Elements(value)
		texts := make([]string, len(elements))
		for i, element := range elements {
			texts[i] = plain(element)
		}
		words[0] = strings.Join(texts, ",")
	case tool.FilterArgument, tool.LimitsArgument:
		words = entryWords(value)
	}
	set := ArgumentValue{Argument: v.Argument}
	for _, word := range words {
		if set.Set(word) != nil || word == "" || strings.HasPrefix(word, "-") || word != OneLine(word) {
			return nil, false
		}
	}
	compact, err := rawjson.Compact(value)
	return words, err == nil && string(set.passed) == string(compact)
}

// entryWords returns the members of an object as field=value, or field.operator=value for a range.
func entryWords(object json.RawMessage) []string {
	var words []string
	entries, _ := rawjson.ParseObject(object)
	for _, entry := range entries {
		bounds, isRange := rawjson.ParseObject(entry.Value)
		if !isRange {
			words = append(words, entry.Name+"="+plain(entry.Value))
		}
		for _, bound := range bounds {
			words = append(words, entry.Name+"."+bound.Name+"="+plain(bound.Value))
		}
	}
	return words
}

// plain returns a string without its quotes, and other values as JSON.
func plain(value json.RawMessage) string {
	if text, isText := rawjson.Text(value); isText {
		return text
	}
	return string(value)
}

func (v *ArgumentValue) usage() string {
	usage := v.Argument.Description
	switch v.Argument.Type { // descriptions of objects show JSON, which flags do not take
	case tool.StringListArgument:
		usage += " Separated by commas, or repeated."
	case tool.FilterArgument:
		usage = "field=value, or a range such as 'field>=value' or field.gte=value; repeatable."
	case tool.LimitsArgument:
		usage = "relation=number; repeatable."
	}
	if v.Argument.Required {
		usage += " Required."
	}
	if v.Argument.Positional {
		usage += " Needs no flag."
	}
	return strings.TrimSpace(usage)
}

// Type returns the placeholder for the value in the help.
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

// String returns the default for the help. Arguments have none.
func (v *ArgumentValue) String() string { return "" }

// Set parses one use of the flag. Repeated uses of lists and objects are collected.
func (v *ArgumentValue) Set(text string) error {
	switch v.Argument.Type {
	case tool.IntegerArgument:
		number, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		v.passed = strconv.AppendInt(nil, number, 10)
	case tool.BooleanArgument:
		if text != "true" && text != "false" {
			return fmt.Errorf("%q is not true or false", text)
		}
		v.passed = json.RawMessage(text)
	case tool.StringListArgument:
		list, _ := rawjson.Elements(v.passed)
		for item := range strings.SplitSeq(text, ",") {
			list = append(list, rawjson.Quote(item))
		}
		v.passed = rawjson.Array(list)
	case tool.LimitsArgument:
		name, limit, _ := strings.Cut(text, "=")
		number, err := strconv.ParseInt(limit, 10, 64)
		if err != nil || name == "" {
			return fmt.Errorf("%q is not relation=number", text)
		}
		return v.setEntry(text, name, "", strconv.AppendInt(nil, number, 10))
	case tool.FilterArgument:
		return v.setFilter(text)
	default:
		v.passed = rawjson.Quote(text)
	}
	return nil
}

// comparison matches a range such as size>=10, and dotted one such as size.gte=10.
var (
	comparison = regexp.MustCompile(`^([^<>=]+)([<>]=?)(.+)$`)
	dotted     = regexp.MustCompile(`^(.+)\.(gte|gt|lte|lt)=(.*)$`)
	operators  = map[string]string{"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}
)

// setFilter parses field=value, field.operator=value, or a comparison. Values stay strings, because a filter compares
// text.
func (v *ArgumentValue) setFilter(text string) error {
	field, operator, value := "", "", ""
	if compared := comparison.FindStringSubmatch(text); compared != nil {
		field, operator, value = strings.TrimSpace(compared[1]), operators[compared[2]], strings.TrimSpace(compared[3])
	} else if bound := dotted.FindStringSubmatch(text); bound != nil && !strings.Contains(bound[1], "=") {
		field, operator, value = bound[1], bound[2], bound[3]
	} else if field, value, _ = strings.Cut(text, "="); field == "" || field == text {
		return fmt.Errorf("%q is not a filter: use field=value, 'field>=value' or field.gte=value", text)
	}
	return v.setEntry(text, field, operator, rawjson.Quote(value))
}

// setEntry adds a member to an object, or a bound to the range that is a member. It returns an error if the same was
// set before.
func (v *ArgumentValue) setEntry(text, name, operator string, value json.RawMessage) error {
	entries, _ := rawjson.ParseObject(v.passed)
	known := entries.Get(name)
	if operator != "" {
		bounds, isRange := rawjson.ParseObject(known)
		if isRange && bounds.Get(operator) == nil {
			known = nil
		}
		value = bounds.With(operator, value).Encode()
	}
	if known != nil {
		return fmt.Errorf("%q sets %s a second time", text, name)
	}
	v.passed = entries.With(name, value).Encode()
	return nil
}
