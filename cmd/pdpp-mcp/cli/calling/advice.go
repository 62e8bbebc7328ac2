package calling

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// failure has the members that are read from the error of a tool.
type failure struct {
	Error struct {
		Hint      string   `json:"hint"`
		Accepted  []string `json:"accepted"`
		RetryWith string   `json:"retry_with"`
		Offered   []struct {
			ID   string `json:"connection_id"`
			Name string `json:"display_name"`
		} `json:"available_connections"`
		Next []struct {
			Tool      string          `json:"tool"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"next"`
	} `json:"error"`
}

// failureOf returns the error of a tool as a model reads it. It is empty for other errors.
func failureOf(err error) (read failure) {
	if err != nil {
		_ = json.Unmarshal(tool.Failed(err).Structured, &read)
	}
	return read
}

// offeredConnections returns the connections among which the caller must choose, or nil for another error.
func offeredConnections(err error) (ids []string) {
	for _, each := range failureOf(err).Error.Offered {
		ids = append(ids, each.ID)
	}
	return ids
}

// advised adds the next steps that a model gets with the error of a tool, and command lines that would certainly avoid
// it.
func advised(command *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	failure := failureOf(err)
	var steps []string
	if command := signInAgain(err); command != "" {
		return invocation.AdvisedToSignIn(err, command)
	}
	refused, isRefused := errors.AsType[*rs.Error](err)
	switch hint := failure.Error.Hint; {
	case isRefused && refused.NeedsSignIn():
		steps = append(steps, "The owner must approve the access again. See: pdpp-mcp doctor")
	case hint != "" && failure.Error.RetryWith == "" && !strings.Contains(err.Error(), hint):
		steps = append(steps, hint)
	}
	accepted := strings.Join(failure.Error.Accepted, ", ")
	if accepted != "" && !strings.Contains(err.Error(), accepted) {
		steps = append(steps, "accepted: "+accepted)
	}
	var offered []string
	for _, each := range failure.Error.Offered {
		offered = append(offered, strings.TrimSuffix(invocation.OneLine(each.ID+" ("+each.Name+")"), " ()"))
	}
	if offered != nil {
		steps = append(steps, "available_connections: "+strings.Join(offered, ", "))
	}
	ids := offeredConnections(err)
	for _, next := range failure.Error.Next {
		if called, _, err := command.Root().Find([]string{"call", next.Tool}); err == nil && called.Name() == next.Tool {
			steps = append(steps, invocation.Command+commandFor(called, command, next.Arguments))
			ids = nil // the calls name the connections
		}
	}
	return invocation.AdvisedToChoose(err, steps, choicesOf(command, err, failure.Error.RetryWith, ids))
}

// signInAgain returns the command line that gets a grant again that has ended, or nothing for another error.
func signInAgain(err error) string {
	if explained, ok := errors.AsType[*tool.Explained](err); ok && explained.Command != "" {
		return explained.Command
	}
	if ended, ok := errors.AsType[*tool.SignInError](err); ok {
		return ended.Command
	}
	return ""
}

// choicesOf returns the flags that would avoid an error: the argument with one of the values, or another grant of the
// connection.
func choicesOf(command *cobra.Command, err error, argument string, values []string) (choices [][]string) {
	flag := command.Flag(invocation.FlagName(argument))
	if flag != nil && !flag.Changed && !invocation.HasObject(command) {
		for _, value := range values {
			choices = append(choices, []string{"--" + flag.Name, value})
		}
	}
	var others interface{ OtherGrants() []string }
	if errors.As(err, &others) {
		for _, grant := range others.OtherGrants() {
			choices = append(choices, invocation.GrantChoice(grant))
		}
	}
	return choices
}

// commandFor returns a command line for a POSIX shell. It has the arguments: as flags if every one can be a flag,
// otherwise as --json. It has the flags that were passed to passedTo, if command has them too. The order of the
// arguments does not matter. No flag holds a token.
func commandFor(command, passedTo *cobra.Command, arguments json.RawMessage) string {
	words := []string{command.CommandPath()}
	typed, ok := asTyped(command, arguments)
	words = append(words, typed...)
	var without []string
	if passedTo.Parent() != command.Parent() { // flags of the same name have another meaning
		passedTo.Flags().VisitAll(func(flag *pflag.Flag) {
			if !invocation.IsShared(flag) {
				without = append(without, flag.Name)
			}
		})
	}
	words = append(words, invocation.PassedFlags(passedTo, command, without...)...)
	if !ok {
		words = append(words, "--json", commandline.Word(invocation.Printable(string(arguments))))
	}
	return strings.Join(words, " ")
}

// asTyped returns arguments as positional words and flags, in the order of a command's flags. It reports false if they
// need --json.
func asTyped(command *cobra.Command, arguments json.RawMessage) ([]string, bool) {
	object, ok := rawjson.ParseObject(arguments)
	var positional, flagged []string
	taken := 0
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		argument, isArgument := flag.Value.(*invocation.ArgumentValue)
		if !isArgument || object.Get(argument.Argument.Name) == nil {
			return
		}
		words, hasWords := argument.Words(object.Get(argument.Argument.Name))
		taken++
		ok = ok && hasWords
		for _, word := range words {
			switch {
			case argument.Argument.Positional:
				positional = append(positional, commandline.Word(word))
			case flag.NoOptDefVal != "":
				flagged = append(flagged, "--"+flag.Name+"="+word)
			default:
				flagged = append(flagged, "--"+flag.Name, commandline.Word(word))
			}
		}
	})
	if !ok || taken != len(object) {
		return nil, false
	}
	return append(positional, flagged...), true
}
