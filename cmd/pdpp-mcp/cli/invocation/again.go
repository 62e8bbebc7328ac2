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

// ForProvider is the command line of a command for one provider: with other words in place of those that were typed, and with the
// flags that were passed.
func ForProvider(command *cobra.Command, url string, words ...string) string {
	line := []string{command.CommandPath()}
	for _, word := range words {
		line = append(line, commandline.Word(word))
	}
	line = append(line, PassedFlags(command, command, "provider-url")...)
	return strings.Join(append(line, "--provider-url", url), " ")
}

// PassedFlags are the flags that were passed to a command and that another one has too, as words of a POSIX shell, without the
// arguments of a call and those that are named. No flag holds a token.
func PassedFlags(passedTo, command *cobra.Command, without ...string) []string {
	var words []string
	passedTo.Flags().VisitAll(func(flag *pflag.Flag) {
		if IsArgument(flag) || !flag.Changed || command.Flag(flag.Name) == nil || slices.Contains(without, flag.Name) {
			return
		}
		if flag.NoOptDefVal != "" { // a switch, which takes its value in the same word
			words = append(words, strings.TrimSuffix("--"+flag.Name+"="+flag.Value.String(), "="+flag.NoOptDefVal))
			return
		}
		values := []string{flag.Value.String()}
		if repeated, ok := flag.Value.(pflag.SliceValue); ok {
			values = repeated.GetSlice()
		}
		for _, value := range values {
			words = append(words, "--"+flag.Name, commandline.Word(value))
		}
	})
	return words
}
