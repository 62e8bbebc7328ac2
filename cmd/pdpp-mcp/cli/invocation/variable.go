package invocation

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/config"
)

// VariableOf is the annotation of a flag with its environment variable.
const VariableOf = "environment variable"

// irregularVariables has the variables that are not named after their flags.
var irregularVariables = map[string]string{
	"allowed-host":  "PDPP_ALLOWED_HOSTS",
	"audience":      "PDPP_AUDIENCES",
	"source":        "PDPP_SOURCES",
	"server-name":   "PDPP_MCP_SERVER_NAME",
	"trusted-proxy": "PDPP_TRUSTED_PROXIES",
}

// ReadVariables sets flags from their environment variables, such as PDPP_LISTEN for listen.
func ReadVariables(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		variable := cmp.Or(irregularVariables[name], "PDPP_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_")))
		flags.Lookup(name).Usage += " [$" + variable + "]"
		annotate(flags, name, VariableOf, variable)
	}
}

func annotate(flags *pflag.FlagSet, name, annotation string, values ...string) {
	if err := flags.SetAnnotation(name, annotation, values); err != nil {
		panic(err) // a command names only its own flags
	}
}

// passedAs is the annotation of a flag with its values on the command line.
const passedAs = "passed as"

// Fill sets the flags that were not passed from environment variables that are not empty, and the remaining ones from
// the configuration file.
func Fill(command *cobra.Command) error {
	flags := command.Flags()
	flags.Visit(func(flag *pflag.Flag) { annotate(flags, flag.Name, passedAs, flagValues(flag)...) })
	return fill(flags, command)
}

// Refill sets fresh, a new copy of a command's own flags, from the same command line and from the current variables and
// file.
func Refill(fresh *pflag.FlagSet, command *cobra.Command) error {
	var problems []error
	fresh.VisitAll(func(flag *pflag.Flag) {
		values, isPassed := command.Flags().Lookup(flag.Name).Annotations[passedAs]
		list, isList := flag.Value.(pflag.SliceValue)
		switch {
		case isPassed && isList: // Set would split values at commas
			problems = append(problems, list.Replace(values))
			flag.Changed = true
		case isPassed:
			problems = append(problems, fresh.Set(flag.Name, values[0]))
		}
	})
	return errors.Join(append(problems, fill(fresh, command))...)
}

func fill(flags *pflag.FlagSet, command *cobra.Command) error {
	wrong := &WrongSettings{}
	flags.VisitAll(func(flag *pflag.Flag) {
		variables := flag.Annotations[VariableOf]
		if flag.Changed || len(variables) == 0 || os.Getenv(variables[0]) == "" {
			return
		}
		if err := flags.Set(flag.Name, os.Getenv(variables[0])); err != nil {
			wrong.add(variables[0], os.Getenv(variables[0]), reason(flag, err))
		}
		setPlace(flag, variables[0])
	})
	fillFromFile(flags, command, wrong)
	return wrong.Err()
}

const configFlag = "config"

// settingOf is the annotation of a flag without a variable that a configuration file may set.
const settingOf = "setting"

// AddConfig adds the flag that names a configuration file.
func AddConfig(flags *pflag.FlagSet) {
	flags.String(configFlag, "", "YAML `file` with values for the flags of any command; passed flags and variables take precedence")
	ReadVariables(flags, configFlag)
}

// placeOf is the annotation of a flag whose value is from a variable or a file, with its place.
const placeOf = "place"

// Place returns where the value of a flag is from: a line of the configuration file, a variable, or the flag itself.
func Place(flags *pflag.FlagSet, name string) string {
	if place := flags.Lookup(name).Annotations[placeOf]; place != nil {
		return place[0]
	}
	return "--" + name
}

func setPlace(flag *pflag.Flag, place string) {
	if flag.Annotations == nil {
		flag.Annotations = map[string][]string{}
	}
	flag.Annotations[placeOf] = []string{place}
}

// ReadConfigured lets a configuration file set a flag that has no variable.
func ReadConfigured(flags *pflag.FlagSet, name string) { annotate(flags, name, settingOf, name) }

// fillFromFile sets the unset flags from the configuration file. It checks the settings of other commands too, because
// one file serves all.
func fillFromFile(flags *pflag.FlagSet, command *cobra.Command, wrong *WrongSettings) {
	named := command.Flags().Lookup(configFlag)
	if named == nil || named.Value.String() == "" {
		return
	}
	path := named.Value.String()
	all := Settings(command.Root())
	known := make(config.Known, len(all))
	for name, flag := range all {
		_, isList := flag.Value.(pflag.SliceValue)
		known[name] = struct{ IsList bool }{isList}
	}
	settings, problems := config.Read(path, known)
	for _, setting := range settings {
		flag := flags.Lookup(setting.Name)
		switch {
		case flag == nil || !isSetting(flag):
			flag = all[setting.Name]
		case flag.Changed:
			continue
		}
		for _, value := range setting.Values {
			if err := flag.Value.Set(value); err != nil {
				problems = append(problems, &config.Problem{
					File: path, Line: setting.Line, Message: fmt.Sprintf("%s: invalid value %q: %s", setting.Name, value, reason(flag, err)), Cause: err,
				})
			}
		}
		flag.Changed = true
		setPlace(flag, path+":"+strconv.Itoa(setting.Line)+": "+setting.Name)
	}
	wrong.isUnread = settings == nil && problems != nil
	slices.SortStableFunc(problems, func(a, b *config.Problem) int { return cmp.Compare(a.Line, b.Line) })
	for _, problem := range problems {
		wrong.lines = append(wrong.lines, problem.Error())
	}
}

func isSetting(flag *pflag.Flag) bool {
	return flag.Name != configFlag && (flag.Annotations[VariableOf] != nil || flag.Annotations[settingOf] != nil)
}

// Settings returns the flags of a tree of commands that a configuration file may set, by name.
func Settings(root *cobra.Command) map[string]*pflag.Flag {
	found := make(map[string]*pflag.Flag)
	var visit func(*cobra.Command)
	visit = func(command *cobra.Command) {
		command.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			if isSetting(flag) && found[flag.Name] == nil {
				found[flag.Name] = flag
			}
		})
		for _, child := range command.Commands() {
			visit(child)
		}
	}
	visit(root)
	return found
}
