package invocation

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// advisedError is an error with next steps, and with flags: any one of them would avoid it.
type advisedError struct {
	error
	steps   []string
	choices [][]string
}

func (e *advisedError) Unwrap() error { return e.error }

// Advised adds next steps to an error: hints, and command lines that begin with Command. Fatal prints them below the
// error.
func Advised(err error, steps ...string) error { return AdvisedToChoose(err, steps, nil) }

// AdvisedToSignIn adds the command that signs in again. It takes the place of the hint for a model, which is to ask the
// user.
func AdvisedToSignIn(err error, command string) error {
	return Advised(err, "The access has ended. Sign in again:", Command+command)
}

// AdvisedToChoose adds next steps to an error, and flags that would avoid it. Each choice is the words of one flag.
func AdvisedToChoose(err error, steps []string, choices [][]string) error {
	if len(steps)+len(choices) == 0 {
		return err
	}
	return &advisedError{err, append(slices.Clip(nextSteps(err)), steps...), choices}
}

// nextSteps returns the next steps of an error, one line each.
func nextSteps(err error) []string {
	if advised, ok := errors.AsType[*advisedError](err); ok {
		return advised.steps
	}
	return nil
}

// maxChoices bounds the suggested command lines of one error.
const maxChoices = 6

// AddCommandLines adds next steps to an error: the command line with each of its choices. For a
// *credential.SeveralError, these are the command lines for all providers and for each one.
func AddCommandLines(err error, command *cobra.Command, arguments []string) error {
	var steps []string
	var choices [][]string
	if advised, ok := errors.AsType[*advisedError](err); ok {
		choices = advised.choices
	}
	if several, ok := errors.AsType[*credential.SeveralError](err); ok {
		if _, takesAll := command.Flag(providerFlag).Value.(pflag.SliceValue); takesAll && !several.Apart {
			choices = append(choices, providerChoice(several.URLs...))
		}
		for _, url := range several.URLs {
			choices = append(choices, providerChoice(url))
		}
	}
	for _, choice := range choices[:min(len(choices), maxChoices)] {
		steps = append(steps, Command+withFlags(arguments, choice))
	}
	if len(choices) == 0 {
		return err
	}
	return Advised(err, steps...)
}

func providerChoice(urls ...string) []string {
	var words []string
	for _, url := range urls {
		words = append(words, "--"+providerFlag, url)
	}
	return words
}

// GrantChoice returns the words that choose a grant.
func GrantChoice(name string) []string { return []string{"--" + grantFlag, name} }

// withFlags returns the typed command line with more flags. They replace uses of the first one, and precede "--".
func withFlags(arguments, flags []string) string {
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

// ForProvider returns the command line of a command for one provider, with the flags that were passed and these
// positional words.
func ForProvider(command *cobra.Command, url string, words ...string) string {
	line := []string{command.CommandPath()}
	for _, word := range words {
		line = append(line, commandline.Word(word))
	}
	line = append(line, PassedFlags(command, command, providerFlag)...)
	return strings.Join(append(line, providerChoice(url)...), " ")
}

// PassedFlags returns the flags that were passed to one command and that another one has too, as words of a POSIX
// shell. Arguments of a call and the flags named by without are left out. No flag holds a token.
func PassedFlags(passedTo, command *cobra.Command, without ...string) []string {
	var words []string
	passedTo.Flags().VisitAll(func(flag *pflag.Flag) {
		if IsArgument(flag) || !flag.Changed || command.Flag(flag.Name) == nil || slices.Contains(without, flag.Name) {
			return
		}
		if flag.NoOptDefVal != "" { // a switch takes its value in the same word
			words = append(words, strings.TrimSuffix("--"+flag.Name+"="+flag.Value.String(), "="+flag.NoOptDefVal))
			return
		}
		for _, value := range flagValues(flag) {
			words = append(words, "--"+flag.Name, commandline.Word(value))
		}
	})
	return words
}

// flagValues returns the value of a flag, or all values of a flag that is a list.
func flagValues(flag *pflag.Flag) []string {
	if list, isList := flag.Value.(pflag.SliceValue); isList {
		return list.GetSlice()
	}
	return []string{flag.Value.String()}
}
