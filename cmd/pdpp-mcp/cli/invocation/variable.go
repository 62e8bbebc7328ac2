package invocation

import (
	"cmp"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// VariableOf is the annotation of a flag with its environment variable.
const VariableOf = "environment variable"

// irregularVariables has the variables that are not named after their flags.
var irregularVariables = map[string]string{
	"allowed-host":  "PDPP_ALLOWED_HOSTS",
	"audience":      "PDPP_AUDIENCES",
	"server-name":   "PDPP_MCP_SERVER_NAME",
	"trusted-proxy": "PDPP_TRUSTED_PROXIES",
}

// ReadVariables gives each flag its environment variable, such as PDPP_LISTEN for listen.
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

// Fill sets the flags that were not passed from environment variables that are not empty, and the remaining ones from the configuration
// file.
func Fill(command *cobra.Command) error {
	flags := command.Flags()
	flags.Visit(func(flag *pflag.Flag) { annotate(flags, flag.Name, passedAs, flagValues(flag)...) })
	return fill(flags, command)
}

// Refill sets a new set of a command's own flags from the same command line and from the current variables and file.
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
	var problems []error
	flags.VisitAll(func(flag *pflag.Flag) {
		variables := flag.Annotations[VariableOf]
		if flag.Changed || len(variables) == 0 || os.Getenv(variables[0]) == "" {
			return
		}
		if err := flags.Set(flag.Name, os.Getenv(variables[0])); err != nil {
			problems = append(problems, Usagef("%s cannot be used for --%s: %v", variables[0], flag.Name, cmp.Or(errors.Unwrap(err), err)))
		}
	})
	return errors.Join(append(problems, fillFromFile(flags, command))...)
}
