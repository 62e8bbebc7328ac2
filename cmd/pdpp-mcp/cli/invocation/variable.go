package invocation

import (
	"cmp"
	"errors"
	"os"
	"strings"

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

// FillFromEnvironment sets the flags that were not passed from their variables. An empty variable counts as not set. It
// returns a usage error for each variable with a wrong value.
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
			problems = append(problems, Usagef("%s cannot be used for --%s: %v", variables[0], flag.Name, cmp.Or(errors.Unwrap(err), err)))
		}
	})
	return errors.Join(problems...)
}
