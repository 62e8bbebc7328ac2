package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// groups are the headings of the root help and the commands below each. Other commands are below "More:".
var groups = []struct {
	heading  string
	commands []string
}{
	{"Start:", []string{"connect", "setup", "doctor"}},
	{"Read:", append(shortNames(), "streams", "describe", "blob", "sync", "call")},
	{"Manage:", []string{"connections", "disconnect", "activity", "subscriptions"}},
	{"Serve:", []string{"stdio", "serve"}},
}

func shortNames() []string {
	var names []string
	for _, definition := range gen.Surface().Tools {
		for _, short := range definition.Commands {
			names = append(names, short.Name)
		}
	}
	return names
}

// exitCodes are the exit codes and what they mean.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{invocation.ExitOK, "ok"},
	{invocation.ExitToolError, "the tool returned an error"},
	{invocation.ExitUsage, "usage"},
	{invocation.ExitUnreachable, "provider unreachable"},
	{invocation.ExitInternal, "internal"},
	{invocation.ExitRefused, "owner credential refused or access denied by the owner"},
	{invocation.ExitConfiguration, "configuration or credential missing, expired or malformed"},
	{invocation.ExitInterrupted, "interrupted"},
}

// exitCodeLine returns all exit codes for one paragraph.
func exitCodeLine() string {
	var listed []string
	for _, each := range exitCodes {
		listed = append(listed, fmt.Sprintf("%d %s", each.code, each.meaning))
	}
	return "  " + strings.Join(listed, ", ")
}

// pipeColumns is the width of help that is not shown on a terminal.
const pipeColumns = 80

// addHelp makes help fit the terminal. It changes the commands that cobra adds: help fails for an unknown command, and
// both have examples.
func addHelp(root *cobra.Command, terminal invocation.Terminal) {
	root.SetHelpFunc(func(command *cobra.Command, _ []string) {
		columns, isTerminal := terminal.Width()
		if !isTerminal {
			columns = pipeColumns
		}
		_ = terminal.Page(helpText(command, columns)) // a failure cannot be reported
	})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, command := range root.Commands() {
		switch command.Name() {
		case "help":
			command.Short, command.Long = "Show the help of a command, or a topic: flags, environment, exit-codes", ""
			command.Example = "  pdpp-mcp help records\n  pdpp-mcp help environment"
			command.Run, command.RunE = nil, showHelpOf
		case "completion":
			command.Short, command.Long = "Print a completion script for a shell", ""
			command.Args, command.RunE = invocation.NoCommand, invocation.ShowHelp
			command.Example = "  pdpp-mcp completion bash > pdpp-mcp.bash\n  pdpp-mcp completion zsh > _pdpp-mcp"
			for _, shell := range command.Commands() {
				line := "  pdpp-mcp completion " + shell.Name()
				shell.Example = line + "\n" + line + " --no-descriptions"
			}
		}
	}
}

func showHelpOf(help *cobra.Command, words []string) error {
	command, rest, err := help.Root().Find(words)
	if err != nil || len(rest) > 0 {
		return invocation.UnknownCommand(command, rest[0])
	}
	return command.Help()
}

// newFlagsTopic returns the help topic of the flags that commands share. Without a run function it is not a command.
func newFlagsTopic() *cobra.Command {
	topic := &cobra.Command{Use: "flags", Short: "Flags that commands share", Long: "Flags of every command that reads data, and of every command."}
	sources := invocation.Sources{ReadsEvery: true}
	sources.AddFlags(topic.Flags())
	invocation.AddReadOn(topic.Flags(), new(int))
	invocation.AddZone(topic.Flags(), &tool.Clock{}, true)
	return topic
}

// environmentOnly are the variables that set no flag.
var environmentOnly = [][2]string{
	{"PDPP_ACCESS_TOKEN", "a scoped token, instead of the cache"},
	{"PDPP_INTROSPECTION_CLIENT_SECRET", "the secret of serve for introspection"},
	{"PAGER, NO_COLOR, TZ", "as in other programs: the pager of long output, no colours, the zone of this machine"},
	{"HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "the proxy to other machines"},
	{"OTEL_*", "as OpenTelemetry defines them, for pdpp-mcp-otel"},
}

// textTopic marks a help topic that is a text.
var textTopic = map[string]string{"text topic": ""}

// IsTextTopic reports whether a command is a help topic that is a text, without flags.
func IsTextTopic(command *cobra.Command) bool {
	_, isText := command.Annotations["text topic"]
	return isText
}

// newTopics returns the help topics of the environment and the exit codes. They list what the commands below root read
// and return.
func newTopics(root *cobra.Command) []*cobra.Command {
	var lines []string
	add := func(name, meaning string) { lines = append(lines, fmt.Sprintf("  %s\n      %s", name, meaning)) }
	settings := invocation.Settings(root)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		flag := settings[name]
		if variable := flag.Annotations[invocation.VariableOf]; variable != nil {
			_, usage := pflag.UnquoteUsage(flag)
			add(variable[0]+" (--"+name+")", strings.TrimSuffix(usage, " [$"+variable[0]+"]"))
		}
	}
	for _, each := range environmentOnly {
		add(each[0], each[1])
	}
	var codes []string
	for _, each := range exitCodes {
		codes = append(codes, fmt.Sprintf("  %3d  %s", each.code, each.meaning))
	}
	return []*cobra.Command{
		{
			Annotations: textTopic, Use: "environment", Short: "Environment variables",
			Long: "A flag takes precedence over its variable, and a variable over the file of --config.\n\n" + strings.Join(lines, "\n"),
		},
		{
			Annotations: textTopic, Use: "exit-codes", Short: "Exit codes",
			Long: "Every command ends with one of these codes.\n\n" + strings.Join(codes, "\n"),
		},
	}
}

// helpText returns the help of a command, wrapped at words. Examples are not wrapped, so that they can be pasted.
func helpText(command *cobra.Command, columns int) string {
	command.InitDefaultHelpFlag()
	command.InitDefaultVersionFlag()
	sections := []string{invocation.WrapText(Description(command), columns)}
	if command.Runnable() || command.HasSubCommands() {
		sections = append(sections, "Usage:\n"+invocation.WrapLine("  "+command.UseLine(), columns, "      "))
	}
	if command.HasExample() {
		sections = append(sections, "Examples:\n"+command.Example)
	}
	sections = append(sections, commandLists(command, columns)...)
	return strings.Join(append(sections, flagSections(command, columns)...), "\n\n") + "\n"
}

// flagSections describes the flags of a command. It only names the flags that other commands share.
func flagSections(command *cobra.Command, columns int) (sections []string) {
	isTopic := !command.Runnable() && !command.HasSubCommands()
	if IsTextTopic(command) {
		return nil
	}
	flags, arguments, own := command.LocalFlags(), "", ""
	if isTopic {
		flags = command.Flags()
	}
	var shared []string
	flags.VisitAll(func(flag *pflag.Flag) {
		switch {
		case flag.Hidden:
		case invocation.IsArgument(flag):
			arguments += flagLine(flag, columns)
		case invocation.IsShared(flag) && command.Runnable():
			shared = append(shared, "--"+flag.Name)
		default:
			own += flagLine(flag, columns)
		}
	})
	if !isTopic {
		command.InheritedFlags().VisitAll(func(flag *pflag.Flag) { shared = append(shared, "--"+flag.Name) })
	}
	if arguments != "" {
		sections = append(sections, "Arguments:"+arguments)
	}
	if own != "" {
		sections = append(sections, "Flags:"+own)
	}
	switch {
	case command.HasParent() && shared != nil:
		line := fmt.Sprintf("  %s (see: %s help flags)", strings.Join(shared, ", "), command.Root().Name())
		sections = append(sections, "Shared flags:\n"+invocation.WrapLine(line, columns, "  "))
	case !command.HasParent():
		sections = append(sections, "Exit codes:\n"+invocation.WrapLine(exitCodeLine(), columns, "  "),
			invocation.WrapLine("Run pdpp-mcp <command> --help for flags and examples. See also: pdpp-mcp help environment, help exit-codes.", columns, ""))
	}
	return sections
}

// FlagName returns a flag as it is typed, such as -o, --output.
func FlagName(flag *pflag.Flag) string {
	if flag.Shorthand != "" {
		return "-" + flag.Shorthand + ", --" + flag.Name
	}
	return "--" + flag.Name
}

// FlagUsage returns the placeholder for the value of a flag, and its usage with the default.
func FlagUsage(flag *pflag.Flag) (placeholder, usage string) {
	placeholder, usage = pflag.UnquoteUsage(flag)
	if !slices.Contains([]string{"", "false", "0", "0s", "[]"}, flag.DefValue) {
		usage += fmt.Sprintf(" (default %s)", flag.DefValue)
	}
	return placeholder, usage
}

// usageColumn is the column of a flag's usage. After a longer flag, the usage begins on the next line.
const usageColumn = 26

// flagLine returns the lines of a flag, each after a line break.
func flagLine(flag *pflag.Flag, columns int) string {
	placeholder, usage := FlagUsage(flag)
	line, above := strings.TrimRight("  "+FlagName(flag)+" "+placeholder, " "), ""
	if len(line) > usageColumn-2 {
		line, above = "", "\n"+line
	}
	return above + "\n" + invocation.WrapLine(fmt.Sprintf("%-*s%s", usageColumn, line, usage), columns, strings.Repeat(" ", usageColumn))
}

func commandLists(command *cobra.Command, columns int) (lists []string) {
	children, width := map[string]*cobra.Command{}, 0
	var rest []string
	for _, child := range available(command) {
		children[child.Name()], rest = child, append(rest, child.Name())
		width = max(width, len(child.Name()))
	}
	add := func(heading string, names []string) {
		list := heading
		for _, name := range names {
			if child := children[name]; child != nil {
				list += "\n" + invocation.WrapLine(fmt.Sprintf("  %-*s  %s", width, name, child.Short), columns, strings.Repeat(" ", width+4))
				rest = slices.DeleteFunc(rest, func(other string) bool { return other == name })
			}
		}
		if list != heading {
			lists = append(lists, list)
		}
	}
	if command.HasParent() {
		add("Commands:", slices.Clone(rest))
		return lists
	}
	for _, group := range groups {
		add(group.heading, group.commands)
	}
	add("More:", slices.Clone(rest))
	return lists
}

func available(command *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(command.Commands()), func(child *cobra.Command) bool { return !child.IsAvailableCommand() })
}

// Description returns the long description of a command, or the short one as a sentence.
func Description(command *cobra.Command) string {
	if command.Long != "" {
		return command.Long
	}
	return command.Short + "."
}
