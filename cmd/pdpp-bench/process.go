package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// buildBinary builds pdpp-mcp like make build and returns its path.
func buildBinary(ctx context.Context, directory string) (string, error) {
	binary := filepath.Join(directory, "pdpp-mcp")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build pdpp-mcp: %w\n%s", err, output)
	}
	return binary, nil
}

// start starts a process, which endProcesses kills at the end of the run.
func (s *suite) start(command *exec.Cmd) error {
	if err := command.Start(); err != nil {
		return fmt.Errorf("start %s: %w", command.Path, err)
	}
	s.processes = append(s.processes, command.Process)
	return nil
}

// endProcesses kills the processes that are left. The errors of those that have ended are ignored.
func (s *suite) endProcesses() {
	for _, process := range s.processes {
		_ = process.Kill()
	}
}

// startRole starts this program in one of its roles and returns the role's URL and its process.
func (s *suite) startRole(role, target string) (string, *os.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	command := exec.CommandContext(s.ctx, self)
	command.Env = append(os.Environ(), roleVariable+"="+role, targetVariable+"="+target)
	out, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := s.start(command); err != nil {
		return "", nil, err
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", nil, fmt.Errorf("the %s did not start: %w", role, err)
	}
	return strings.TrimSpace(address), command.Process, nil
}

// hosted is a running pdpp-mcp serve.
type hosted struct {
	url     string // of /mcp
	process *os.Process
}

// startHosted starts the hosted adapter and waits until it answers. Its log is written but discarded.
func (s *suite) startHosted() (*hosted, error) {
	var config net.ListenConfig
	ctx := s.ctx
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0") // to find a free port
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, s.binary, "serve", "--provider-url", s.provider, "--authorization-server", s.provider,
		"--introspection-url", s.provider+"/introspect", "--introspection-client-id", "bench", "--listen", address)
	command.Env = append(os.Environ(), "PDPP_INTROSPECTION_CLIENT_SECRET=bench")
	if err := s.start(command); err != nil {
		return nil, err
	}
	for range 200 {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/healthz", nil)
		if err != nil {
			return nil, err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			return &hosted{url: "http://" + address + "/mcp", process: command.Process}, response.Body.Close()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil, fmt.Errorf("pdpp-mcp serve did not answer at %s within 2 s", address)
}

// startStdio starts the local adapter with a token and further flags.
func (s *suite) startStdio(token string, flags ...string) (*session, error) {
	command := exec.CommandContext(s.ctx, s.binary, append([]string{"stdio", "--provider-url", s.provider}, flags...)...)
	command.Env = append(os.Environ(), "PDPP_ACCESS_TOKEN="+token)
	return s.talkTo(command)
}

// talkTo starts a command and returns a session over its standard input and output.
func (s *suite) talkTo(command *exec.Cmd) (*session, error) {
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.start(command); err != nil {
		return nil, err
	}
	return &session{revision: common, command: command, in: in, out: bufio.NewReaderSize(out, 256<<10)}, nil
}

// memory returns a line of a process's status, VmRSS or VmHWM, in bytes, or 0 if the system does not have it.
func memory(process *os.Process, line string) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process.Pid))
	if err != nil {
		return 0
	}
	for text := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(text, line+":"); ok {
			kilobytes, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				return 0
			}
			return kilobytes * 1024
		}
	}
	return 0
}

// processorTime returns the processor time of processes, to about 10 ms each, or 0 if it is unknown (proc_pid_stat(5),
// utime and stime).
func processorTime(processes ...*os.Process) time.Duration {
	const tick = 10 * time.Millisecond // USER_HZ is 100 wherever Go runs on Linux
	var all time.Duration
	for _, process := range processes {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process.Pid))
		if err != nil {
			return 0
		}
		_, behindName, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(behindName)
		for _, field := range fields[min(11, len(fields)):min(13, len(fields))] {
			ticks, err := strconv.Atoi(field)
			if err != nil {
				return 0
			}
			all += time.Duration(ticks) * tick
		}
	}
	return all
}

// forgetPeak resets VmHWM to the current resident memory (proc_pid_clear_refs(5)).
func forgetPeak(process *os.Process) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", process.Pid), []byte("5"), 0o600)
}

// discard reads a body to its end, closes it and returns its length in bytes.
func discard(body io.ReadCloser) (int64, error) {
	length, err := io.Copy(io.Discard, body)
	if closed := body.Close(); err == nil {
		err = closed
	}
	return length, err
}
