package candidate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/relay"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// ErrKey reports a missing key.
var ErrKey = errors.New("no key")

// keyFrom returns the key in an environment variable. Flags cannot pass a key, so that none is stored.
func keyFrom(variable string) (string, error) {
	if key := os.Getenv(variable); key != "" {
		return key, nil
	}
	return "", fmt.Errorf("%w: set %s in the environment; a key is never read from a flag, stored or printed",
		ErrKey, variable)
}

// Price is the price of a model in dollars per million tokens.
type Price struct{ Input, Output float64 }

func (p Price) of(input, output int64) transcript.Usage {
	return transcript.Usage{
		InputTokens: input, OutputTokens: output, Dollars: (float64(input)*p.Input + float64(output)*p.Output) / 1e6,
	}
}

// relayed is the server that a program starts: the relay of this program, which writes the calls to a file.
type relayed struct {
	command []string
	calls   string
}

func relayOf(task Task) (relayed, error) {
	self, err := os.Executable()
	if err != nil {
		return relayed{}, fmt.Errorf("find this program: %w", err)
	}
	calls := filepath.Join(task.Folder, "calls.jsonl")
	return relayed{relay.CommandLine(self, task.Channel, calls, task.Server), calls}, nil
}

// stopWithin is the time within which a program must end after the signal to stop.
const stopWithin = 5 * time.Second

// runProgram runs a program in the folder of its task, and returns what it prints.
func runProgram(ctx context.Context, folder string, environment []string, stdin io.Reader,
	command ...string,
) (stdout, stderr string, err error) {
	program := exec.CommandContext(ctx, command[0], command[1:]...)
	var printed, complained bytes.Buffer
	program.Dir, program.Env, program.Stdin, program.Stdout, program.Stderr = folder, environment, stdin, &printed, &complained
	program.Cancel = func() error { return program.Process.Signal(os.Interrupt) }
	program.WaitDelay = stopWithin
	if err = program.Run(); err != nil {
		err = fmt.Errorf("%s: %w", filepath.Base(command[0]), err)
	}
	return printed.String(), strings.TrimSpace(complained.String()), err
}
