package doctor

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/mcphost"
)

// initialize is the first message of a host.
const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
	`"clientInfo":{"name":"pdpp-mcp doctor","version":"1"}}}` + "\n"

// startProblem starts the server of an entry as its host does: in another folder, and without the variables of this
// program. It returns an empty text if the server answers the first message, otherwise why not.
func startProblem(ctx context.Context, entry mcphost.Entry) string {
	folder, err := os.MkdirTemp("", "pdpp-doctor-*")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(folder)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	command := exec.CommandContext(ctx, entry.Command, entry.Arguments...)
	command.Dir, command.WaitDelay = folder, time.Second
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "PDPP_") {
			command.Env = append(command.Env, variable)
		}
	}
	command.Env = append(command.Env, entry.Environment...)
	var said bytes.Buffer
	command.Stderr = &said
	input, err := command.StdinPipe()
	if err != nil {
		return err.Error()
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return err.Error()
	}
	if err := command.Start(); err != nil {
		return err.Error()
	}
	_, _ = input.Write([]byte(initialize)) // a server that has ended does not answer
	answer, err := bufio.NewReader(output).ReadString('\n')
	if err == nil {
		err = input.Close()
	}
	isLate := ctx.Err() != nil
	if err != nil && !isLate {
		_ = command.Wait() // its message says more than its exit code
	} else {
		cancel()
		_ = command.Wait()
	}
	switch {
	case isLate:
		return noAnswer
	case strings.Contains(answer, `"result"`):
		return ""
	}
	message, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
	if message == "" {
		return "it ends without an answer"
	}
	return strings.TrimPrefix(message, "pdpp-mcp: ")
}
