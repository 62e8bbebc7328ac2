package invocation

import (
	"cmp"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// VariableOf is the annotation of a flag with the environment variable that is read when the flag was not passed.
const VariableOf = "environment variable"

// otherVariables has the variables that are not named after their flag.
var otherVariables = map[string]string{
	"allowed-host":  "PDPP_ALLOWED_HOSTS",
	"audience":      "PDPP_AUDIENCES",
	"server-name":   "PDPP_MCP_SERVER_NAME",
	"trusted-proxy": "PDPP_TRUSTED_PROXIES",
}

// ReadVariables annotates each flag with its environment variable, such as PDPP_LISTEN for listen.
func ReadVariables(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		variable, ok := otherVariables[name]
		if !ok {
			variable = "PDPP_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		}
		flags.Lookup(name).Usage += " [$" + variable + "]"
		if err := flags.SetAnnotation(name, VariableOf, []string{variable}); err != nil {
			panic(err) // the flag was looked up just before
		}
	}
}

// passedAs is the annotation of a flag with the values that it was passed with on the command line.
const passedAs = "passed as"

// Fill sets the flags of a command that were not passed: from their environment variables, else from the configuration file. An
// empty variable counts as not set. It returns an error for each variable and each line of the file that is wrong.
func Fill(command *cobra.Command) error {
	flags := command.Flags()
	flags.Visit(func(flag *pflag.Flag) {
		values := []string{flag.Value.String()}
		if list, isList := flag.Value.(pflag.SliceValue); isList {
			values = list.GetSlice()
		}
		_ = flags.SetAnnotation(flag.Name, passedAs, values) // the flag is there
	})
	return fill(flags, command)
}

// Again sets a fresh set of a command's own flags as Fill set them: from the same command line, and then from the variables
// and the file as they are now.
func Again(fresh *pflag.FlagSet, command *cobra.Command) error {
	var problems []error
	fresh.VisitAll(func(flag *pflag.Flag) {
		values, isPassed := command.Flags().Lookup(flag.Name).Annotations[passedAs]
		list, isList := flag.Value.(pflag.SliceValue)
		switch {
		case isPassed && isList: // not by Set, which takes values apart at commas
			problems = append(problems, list.Replace(values))
			flag.Changed = true
		case isPassed:
			problems = append(problems, fresh.Set(flag.Name, values[0]))
		}
	})
	return errors.Join(append(problems, fill(fresh, command))...)
}

func fill(flags *pflag.FlagSet, command *cobra.Command) error {
	return errors.Join(fillFromEnvironment(flags), fillFromFile(flags, command))
}

func fillFromEnvironment(flags *pflag.FlagSet) error {
	var problems []error
	flags.VisitAll(func(flag *pflag.Flag) {
		variables := flag.Annotations[VariableOf]
		if flag.Changed || len(variables) == 0 {
			return
		}
		value := os.Getenv(variables[0])
		if value == "" {
			return
		}
		if err := flags.Set(flag.Name, value); err != nil {
			problems = append(problems, Usagef("%s cannot be used for --%s: %v", variables[0], flag.Name, cmp.Or(errors.Unwrap(err), err)))
		}
	})
	return errors.Join(problems...)
}
