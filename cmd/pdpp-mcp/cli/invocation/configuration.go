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

// configFlag names the flag of the configuration file.
const configFlag = "config"

// settingOf is the annotation of a flag that may stand in a configuration file though it has no variable.
const settingOf = "setting"

// AddConfig adds the flag that names a configuration file.
func AddConfig(flags *pflag.FlagSet) {
	flags.String(configFlag, "", "YAML `file` with flags of any command and their values; a passed flag and a variable win")
	ReadVariables(flags, configFlag)
}

// ReadConfigured lets flags without a variable stand in a configuration file, as those with one do.
func ReadConfigured(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		if err := flags.SetAnnotation(name, settingOf, []string{name}); err != nil {
			panic(err) // a command names its own flags
		}
	}
}

// configurationError is everything that is wrong with a configuration file, in the order of its lines.
type configurationError struct{ problems []*config.Problem }

func (e *configurationError) Error() string {
	lines := make([]string, 0, len(e.problems))
	for _, problem := range e.problems {
		lines = append(lines, problem.Error())
	}
	return strings.Join(lines, "\n")
}

// ExitCode returns ExitConfiguration.
func (e *configurationError) ExitCode() int { return ExitConfiguration }

// fillFromFile sets the flags that nothing else has set from the configuration file, if there is one. A file serves every
// command, so the settings of others are checked too.
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
	slices.SortStableFunc(problems, func(a, b *config.Problem) int { return cmp.Compare(a.Line, b.Line) })
	if len(problems) > 0 {
		return &configurationError{problems}
	}
	return nil
}

// isSetting reports whether a flag may stand in a configuration file.
func isSetting(flag *pflag.Flag) bool {
	return flag.Name != configFlag && (flag.Annotations[VariableOf] != nil || flag.Annotations[settingOf] != nil)
}

// Settings returns the flags of a tree of commands that may stand in a configuration file, by their names.
func Settings(root *cobra.Command) map[string]*pflag.Flag {
	found := make(map[string]*pflag.Flag)
	var visit func(*cobra.Command)
	visit = func(command *cobra.Command) {
		for _, flags := range []*pflag.FlagSet{command.LocalFlags(), command.PersistentFlags()} {
			flags.VisitAll(func(flag *pflag.Flag) {
				if isSetting(flag) && found[flag.Name] == nil {
					found[flag.Name] = flag
				}
			})
		}
		for _, below := range command.Commands() {
			visit(below)
		}
	}
	visit(root)
	return found
}
