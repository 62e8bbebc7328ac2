package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
)

// relay is the baseline for the local adapter, as the bare proxy is for the hosted one. For each line of input it reads
// the page and writes it on one line. Its cost above the direct GET is two pipes and a process.
func relay(in io.Reader, out io.Writer, address string) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	request, err := get(address, clientToken+"0")(context.Background(), 0)
	if err != nil {
		return err
	}
	transport := newTransport(1)
	for {
		if _, err := lines.ReadSlice('\n'); err != nil {
			return nil //nolint:nilerr // the input has ended
		}
		response, err := transport.RoundTrip(request)
		if err != nil {
			return err
		}
		page, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("the provider answered %d: %.400s", response.StatusCode, page)
		}
		if _, err := out.Write(append(page, '\n')); err != nil {
			return err
		}
	}
}

// startRelay starts a relay and returns a session with it, which needs no initialization.
func (s *suite) startRelay() (*session, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(s.ctx, self)
	command.Env = append(os.Environ(), roleVariable+"="+relayRole, targetVariable+"="+s.provider+queryPath)
	return s.talkTo(command)
}
