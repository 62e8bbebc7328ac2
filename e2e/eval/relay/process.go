package relay

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// Verb is the first argument of the evaluation's program when it is a relay.
const Verb = "relay"

// ErrNoServer reports a relay without a command to run.
var ErrNoServer = errors.New("name the command of the server after --")

// CommandLine returns the command that relays a server, for candidates that start their servers themselves. The calls
// are written to a JSONL file.
func CommandLine(program, channel, calls string, server Server) []string {
	line := []string{program, Verb, "-channel", channel, "-calls", calls}
	for _, each := range server.Environment {
		line = append(line, "-env", each)
	}
	return append(append(line, "--"), server.Command...)
}

// Main runs the relay of a command line, without the program and the verb.
func Main(ctx context.Context, arguments []string, stdin io.Reader, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet(Verb, flag.ContinueOnError)
	flags.SetOutput(stderr)
	channel := flags.String("channel", Text, "`channel` to show: text or structured")
	path := flags.String("calls", "", "`file` for the calls, as JSONL")
	var server Server
	flags.Func("env", "`NAME=value` for the server, repeatable", func(value string) error {
		server.Environment = append(server.Environment, value)
		return nil
	})
	if err := flags.Parse(arguments); err != nil {
		return fmt.Errorf("read flags: %w", err)
	}
	if server.Command = flags.Args(); len(server.Command) == 0 {
		return ErrNoServer
	}
	calls, err := transcript.Append(*path)
	if err != nil {
		return err
	}
	var written error
	relay := Relay{
		Channel: *channel,
		Note:    func(call transcript.Call) { written = errors.Join(written, calls.Write(call)) },
	}
	err = relay.Run(ctx, stdin, stdout, server)
	return errors.Join(err, written, calls.Close())
}
