package main

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// readOnCommand is the command line that makes another call in the same way: with the flags that were passed, and the
// arguments as JSON in place of theirs. It can be pasted into a shell. No flag holds a token.
func readOnCommand(command *cobra.Command, arguments json.RawMessage) string {
	words := []string{command.CommandPath()}
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		if _, isArgument := flag.Value.(*argumentValue); isArgument || !flag.Changed || flag.Name == "json" {
			return
		}
		if flag.Value.Type() == "bool" && flag.Value.String() == "true" {
			words = append(words, "--"+flag.Name)
			return
		}
		words = append(words, "--"+flag.Name, shellWord(flag.Value.String()))
	})
	return strings.Join(append(words, "--json", shellWord(printable(string(arguments)))), " ")
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9@%+=:,./_-]+$`)

// shellWord quotes what a POSIX shell would split, expand or obey.
func shellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
