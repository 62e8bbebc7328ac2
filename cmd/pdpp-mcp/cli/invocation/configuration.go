package invocation

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/config"
)

const configFlag = "config"

// settingOf is the annotation of a flag without a variable that a configuration file may set.
const settingOf = "setting"

// AddConfig adds the flag that names a configuration file.
func AddConfig(flags *pflag.FlagSet) {
	flags.String(configFlag, "", "YAML `file` with values for the flags of any command; passed flags and variables take precedence")
	ReadVariables(flags, configFlag)
}

// ReadConfigured lets a configuration file set a flag that has no variable.
func ReadConfigured(flags *pflag.FlagSet, name string) { annotate(flags, name, settingOf, name) }

// configurationError has every problem of a configuration file, in the order of its lines.
type configurationError struct{ problems []*config.Problem }

func (e *configurationError) Error() string {
	lines := make([]string, len(e.problems))
	for i, problem := range e.problems {
		lines[i] = problem.Error()
	}
	return strings.Join(lines, "\n")
}

// ExitCode returns ExitConfiguration.
func (e *configurationError) ExitCode() int { return ExitConfiguration }

// fillFromFile sets the unset flags from the configuration file. It checks the settings of other commands too, because one file serves all.
func fillFromFile(flags *pflag.FlagSet, command *cobra.Command) error {
	named := command.Flags().Lookup(configFlag)
	if named == nil || named.Value.String() == "" {
		return nil
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
					File: path, Line: setting.Line, Message: setting.Name + ": " + cmp.Or(errors.Unwrap(err), err).Error(), Cause: err,
				})
			}
		}
		flag.Changed = true
	}
	if len(problems) == 0 {
		return nil
	}
	slices.SortStableFunc(problems, func(a, b *config.Problem) int { return cmp.Compare(a.Line, b.Line) })
	return &configurationError{problems}
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
