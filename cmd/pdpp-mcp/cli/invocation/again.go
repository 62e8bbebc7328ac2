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

// undecided is an error of a command line that leaves something open.
type undecided struct {
	error
	choices [][]string
}

// Unwrap returns the error.
func (e *undecided) Unwrap() error { return e.error }

// WithChoices adds to an error the flags that the command line lacks: each choice is words that decide.
func WithChoices(err error, choices ...[]string) error {
	if len(choices) == 0 {
		return err
	}
	return &undecided{err, choices}
}

// mostChoices is how many command lines are shown of which one is to be chosen.
const mostChoices = 6

// Decided adds to an error the command lines that leave nothing open: those of WithChoices, and for a *credential.SeveralError those
// that name the providers, all of them where the command reads several as one, and each alone. The arguments are those that were typed.
func Decided(err error, command *cobra.Command, arguments []string) error {
	var choices [][]string
	if open, ok := errors.AsType[*undecided](err); ok {
		choices = open.choices
	}
	if several, ok := errors.AsType[*credential.SeveralError](err); ok {
		if _, takesAll := command.Flag(providerFlag).Value.(pflag.SliceValue); takesAll && !several.Apart {
			choices = append(choices, providersNamed(several.URLs...))
		}
		for _, url := range several.URLs {
			choices = append(choices, providersNamed(url))
		}
	}
	if len(choices) == 0 {
		return err
	}
	var steps []string
	var before interface{ NextSteps() []string }
	if errors.As(err, &before) {
		steps = slices.Clone(before.NextSteps())
	}
	for _, choice := range choices[:min(len(choices), mostChoices)] {
		steps = append(steps, Command+typedWith(arguments, choice))
	}
	return Advised(err, steps...)
}

func providersNamed(urls ...string) []string {
	var words []string
	for _, url := range urls {
		words = append(words, "--"+providerFlag, url)
	}
	return words
}

// GrantNamed are the words that name a grant.
func GrantNamed(name string) []string { return []string{"--" + grantFlag, name} }

// typedWith is a command line with other flags, in place of uses of the first of them. Flags end where "--" stands.
func typedWith(arguments, flags []string) string {
	end := slices.Index(arguments, "--")
	if end < 0 {
		end = len(arguments)
	}
	words := []string{"pdpp-mcp"}
	for i, word := range slices.Concat(arguments[:end], flags, arguments[end:]) {
		isReplaced := word == flags[0] || strings.HasPrefix(word, flags[0]+"=") || i > 0 && i <= end && arguments[i-1] == flags[0]
		if i >= end || !isReplaced {
			words = append(words, commandline.Word(Printable(word)))
		}
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
	line = append(line, PassedFlags(command, command, providerFlag)...)
	return strings.Join(append(line, providersNamed(url)...), " ")
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
