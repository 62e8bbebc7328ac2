package invocation

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// NamingProviders adds to a *credential.SeveralError the command lines that name the providers: all of them, where the command
// reads several as one, and each of them alone. The arguments are those that were typed. It returns other errors as they are.
func NamingProviders(err error, command *cobra.Command, arguments []string) error {
	several, ok := errors.AsType[*credential.SeveralError](err)
	if !ok {
		return err
	}
	var choices [][]string
	if _, takesAll := command.Flag("provider-url").Value.(pflag.SliceValue); takesAll {
		choices = append(choices, several.URLs)
	}
	for _, url := range several.URLs {
		choices = append(choices, []string{url})
	}
	var steps []string
	for _, urls := range choices {
		steps = append(steps, Command+withProviders(arguments, urls))
	}
	return Advised(err, steps...)
}

// withProviders is a command line with providers beside its other flags, which end where "--" stands.
func withProviders(arguments, urls []string) string {
	end := slices.Index(arguments, "--")
	if end < 0 {
		end = len(arguments)
	}
	var named []string
	for _, url := range urls {
		named = append(named, "--provider-url", url)
	}
	words := []string{"pdpp-mcp"}
	for _, word := range slices.Concat(arguments[:end], named, arguments[end:]) {
		words = append(words, commandline.Word(Printable(word)))
	}
	return strings.Join(words, " ")
}
