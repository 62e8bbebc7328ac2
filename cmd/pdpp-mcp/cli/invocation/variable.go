package invocation

import (
	"errors"
	"os"

	"github.com/spf13/pflag"
)

// VariableOf annotates a flag with the variable that stands in for it.
const VariableOf = "environment variable"

// ReadsVariable lets a variable stand in for a flag that was not passed.
func ReadsVariable(flags *pflag.FlagSet, name, variable string) {
	flag := flags.Lookup(name)
	flag.Usage += " [$" + variable + "]"
	if err := flags.SetAnnotation(name, VariableOf, []string{variable}); err != nil {
		panic(err) // the flag was looked up just before
	}
}

// FillFromEnvironment sets flags that were not passed from their variables. An empty variable counts as
// not set.
func FillFromEnvironment(flags *pflag.FlagSet) error {
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
			problems = append(problems, Usagef("%s cannot be used: it must be a value for --%s", variables[0], flag.Name))
		}
	})
	return errors.Join(problems...)
}
