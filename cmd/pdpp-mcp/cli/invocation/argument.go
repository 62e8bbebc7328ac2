package invocation

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Arguments are the flags of a tool's arguments. The argument connection_id is the flag --connection-id.
type Arguments struct {
	values []*ArgumentValue
	whole  string // all arguments as one JSON object, in place of the flags

	positional *ArgumentValue // the argument that takes no flag; nil if the command has none
	flagged    bool           // the positional argument has a flag too
}

// AddArguments adds a flag with an ArgumentValue for each argument. Those of a tool have --json for all of them too, and the
// positional one has a flag, since models know it by its name.
func AddArguments(flags *pflag.FlagSet, arguments []tool.Argument, ofTool bool) *Arguments {
	made := &Arguments{flagged: ofTool}
	for _, argument := range arguments {
		value := &ArgumentValue{Argument: argument}
		made.values = append(made.values, value)
		if argument.Positional {
			made.positional = value
			if !ofTool {
				continue
			}
		}
		flag := flags.VarPF(value, FlagName(argument.Name), "", value.usage())
		if argument.Type == tool.BooleanArgument {
			flag.NoOptDefVal = "true"
		}
		MarkArguments(flags, flag.Name)
	}
	if ofTool {
		flags.StringVar(&made.whole, "json", "", "all arguments as one JSON `object` in place of their flags; @file or - reads it from a file or from stdin")
		MarkArguments(flags, "json")
	}
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(FlagName(name)) // accepts connection_id for connection-id
	})
	flags.SortFlags = false // arguments in the order of the schema, then the rest
	return made
}

// argumentMark annotates the flags whose values are arguments of a call.
const argumentMark = "argument"

// MarkArguments says that flags hold arguments of a call, by themselves or as they are resolved.
func MarkArguments(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		_ = flags.SetAnnotation(name, argumentMark, nil) // fails for a flag that is not there
	}
}

// IsArgument reports whether a flag holds arguments of a call.
func IsArgument(flag *pflag.Flag) bool {
	_, marked := flag.Annotations[argumentMark]
	return marked
}

// HasWhole reports whether the arguments of a call were passed as one object, beside which no flag of an argument stands.
func HasWhole(command *cobra.Command) bool {
	flag := command.Flag("json")
	return flag != nil && flag.Changed && IsArgument(flag)
}

// FlagName returns the name of an argument's flag.
func FlagName(argument string) string { return strings.ReplaceAll(argument, "_", "-") }

// Object returns the passed arguments, with the positional one among words, as the JSON object that the tool takes. The tool
// checks the values, so that a terminal and a model get the same errors.
func (a *Arguments) Object(command *cobra.Command, words []string) (json.RawMessage, error) {
	if err := a.takePositional(command, words); err != nil {
		return nil, err
	}
	var object rawjson.Object
	for _, value := range a.values {
		if value.passed != nil {
			object = append(object, rawjson.Raw(value.Argument.Name, value.passed))
		}
	}
	if a.whole == "" {
		return object.Encode(), nil
	}
	if len(object) > 0 {
		return nil, Usagef("--json cannot be combined with flags of arguments; pass all arguments in one of the two ways")
	}
	return a.readWhole(command.InOrStdin())
}

// mostArgumentBytes bounds the arguments that --json reads. Those of a call over stdio have the same bound.
const mostArgumentBytes = 4 << 20

// readWhole returns the object of --json, which may be in a file or on standard input.
func (a *Arguments) readWhole(in io.Reader) (json.RawMessage, error) {
	name, fromFile := strings.CutPrefix(a.whole, "@")
	switch {
	case fromFile:
		file, err := os.Open(name)
		if err != nil {
			return nil, Usagef("--json cannot be read: %v", err)
		}
		defer file.Close()
		in = file
	case a.whole != "-":
		return json.RawMessage(a.whole), nil
	}
	object, err := io.ReadAll(io.LimitReader(in, mostArgumentBytes+1))
	if err != nil {
		return nil, Usagef("--json cannot be read: %v", err)
	}
	if len(object) > mostArgumentBytes {
		return nil, Usagef("--json holds more than %d bytes; pass the arguments of one call", mostArgumentBytes)
	}
	return object, nil
}

func (a *Arguments) takePositional(command *cobra.Command, words []string) error {
	if a.positional == nil || a.whole != "" {
		return NoArguments(command, words)
	}
	name := FlagName(a.positional.Argument.Name)
	switch {
	case len(words) == 0 && a.flagged:
		return nil // passed with its flag, or for the tool to miss
	case len(words) != 1:
		return Usagef("%s takes one <%s>, got %d; put words with spaces into quotes, or run: %[1]s --help", command.CommandPath(), name, len(words))
	case a.positional.passed != nil:
		return Usagef("<%s> is passed twice: as %q and with --%[1]s; pass it once", name, words[0])
	}
	return a.positional.Set(words[0])
}

// Use is how the help shows the positional argument behind the words of its command.
func (a *Arguments) Use() string {
	switch {
	case a.positional == nil:
		return ""
	case a.positional.Argument.Required:
		return " <" + FlagName(a.positional.Argument.Name) + ">"
	}
	return " [" + FlagName(a.positional.Argument.Name) + "]"
}

// ArgumentValue collects what was passed for one argument. It is a pflag.Value.
type ArgumentValue struct {
	Argument tool.Argument

	passed json.RawMessage // the JSON value for the tool; nil if not passed
}

// Text returns the value passed for a string argument, or an empty string.
func (v *ArgumentValue) Text() string {
	text, _ := rawjson.Text(v.passed)
	return text
}

// Words returns the values of the flag that set it to a JSON value, one for each use of the flag. It reports false if there are none
// that every terminal shows.
func (v *ArgumentValue) Words(value json.RawMessage) ([]string, bool) {
	words := []string{string(value)}
	switch v.Argument.Type {
	case tool.StringListArgument:
		words[0] = strings.Join(texts(value), ",")
	case tool.IntegerArgument, tool.BooleanArgument:
	case tool.FilterArgument, tool.LimitsArgument:
		words = entryWords(value)
	default:
		words = texts(rawjson.Array([]json.RawMessage{value}))
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

// texts returns the elements of an array, those that are no strings as empty texts.
func texts(array json.RawMessage) []string {
	elements, _ := rawjson.Elements(array)
	found := make([]string, len(elements))
	for i, element := range elements {
		found[i], _ = rawjson.Text(element)
	}
	return found
}

// entryWords returns an object as field=value, or field.operator=value for a range.
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
		usage = "field=value, or a range such as 'field>=value' or field.gte=value; repeated for more."
	case tool.LimitsArgument:
		usage = "relation=number; repeated for more."
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

// Set parses one use of the flag. Lists and maps collect repeated uses.
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
		return v.setEntry(text, name, strconv.AppendInt(nil, number, 10))
	case tool.FilterArgument:
		return v.setFilter(text)
	default:
		v.passed = rawjson.Quote(text)
	}
	return nil
}

var operators = []string{"gte", "gt", "lte", "lt"}

// comparison matches a range such as size>=10.
var comparison = regexp.MustCompile(`^([^<>=]+)([<>])(=?)(.+)$`)

// setFilter parses field=value, field.operator=value, or a comparison. Values stay strings, because a filter compares text.
func (v *ArgumentValue) setFilter(text string) error {
	name, value, found := strings.Cut(text, "=")
	if compared := comparison.FindStringSubmatch(text); compared != nil {
		operator := map[string]string{"<": ".lt", ">": ".gt"}[compared[2]]
		if compared[3] == "=" {
			operator += "e"
		}
		name, value, found = strings.TrimSpace(compared[1])+operator, strings.TrimSpace(compared[4]), true
	}
	if !found || name == "" {
		return fmt.Errorf("%q is not a filter: use field=value, 'field>=value' or field.gte=value", text)
	}
	at := strings.LastIndexByte(name, '.')
	if at <= 0 || !slices.Contains(operators, name[at+1:]) {
		return v.setEntry(text, name, rawjson.Quote(value))
	}
	field, operator := name[:at], name[at+1:]
	entries, _ := rawjson.ParseObject(v.passed)
	bounds, isRange := rawjson.ParseObject(entries.Get(field))
	if !isRange {
		return v.setEntry(text, field, rawjson.Object{rawjson.String(operator, value)}.Encode())
	}
	if bounds.Get(operator) != nil {
		return saidTwice(text, field)
	}
	v.passed = entries.With(field, bounds.With(operator, rawjson.Quote(value)).Encode()).Encode()
	return nil
}

// setEntry adds a member and refuses one that was set before.
func (v *ArgumentValue) setEntry(text, name string, value json.RawMessage) error {
	entries, _ := rawjson.ParseObject(v.passed)
	if entries.Get(name) != nil {
		return saidTwice(text, name)
	}
	v.passed = entries.With(name, value).Encode()
	return nil
}

func saidTwice(text, name string) error {
	return fmt.Errorf("%q sets %s a second time", text, name)
}
