package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// session is a client of a local adapter, with one message per line.
type session struct {
	revision revision
	command  *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	asked    int
}

const (
	initializeParams = `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`
	initialized      = `{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}` + "\n"
)

// request returns one JSON-RPC request as a line.
func request(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
}

// ask sends one request and returns the next line, which is its answer. The line is valid until the next call.
func (s *session) ask(method, params string) ([]byte, error) {
	s.asked++
	if _, err := io.WriteString(s.in, request(s.asked, method, params)); err != nil {
		return nil, err
	}
	return s.line()
}

// line reads one line. It is valid until the next read.
func (s *session) line() ([]byte, error) {
	part, err := s.out.ReadSlice('\n')
	if err != bufio.ErrBufferFull { //nolint:errorlint // the reader documents this very value
		return part, err
	}
	whole := bytes.Clone(part)
	for {
		part, err = s.out.ReadSlice('\n')
		whole = append(whole, part...)
		if err != bufio.ErrBufferFull { //nolint:errorlint // as above
			return whole, err
		}
	}
}

// greet initializes the session, or sends the request that replaces the handshake in the newest revision.
func (s *session) greet() (json.RawMessage, error) {
	if s.revision == newest {
		answer, err := s.ask("server/discover", s.revision.params(""))
		if err != nil {
			return nil, err
		}
		return bytes.Clone(answer), succeeded(answer)
	}
	answer, err := s.ask("initialize", initializeParams)
	if err != nil {
		return nil, err
	}
	answer = bytes.Clone(answer)
	_, err = io.WriteString(s.in, initialized)
	return answer, err
}

// call calls a tool and fails for an error result, which would be measured as a fast answer.
func (s *session) call(name, arguments string) ([]byte, error) {
	answer, err := s.ask("tools/call", s.revision.toolCall(name, arguments))
	if err != nil {
		return nil, err
	}
	return answer, succeeded(answer)
}

// The signs of a failed call. A protocol error follows the id. They begin with letters that are rare in answers, so
// that the search takes a tenth of the time: it is part of the measurement.
var (
	isError         = []byte(`Error":true`)
	isProtocolError = []byte(`"error":{"code":-`)
)

const idEnds = 128 // bytes, at most

func succeeded(answer []byte) error {
	if bytes.Contains(answer, isError) || bytes.Contains(answer[:min(len(answer), idEnds)], isProtocolError) {
		return fmt.Errorf("a call failed: %.400s", answer)
	}
	return nil
}

// timeCalls makes calls in sequence and returns how long each took.
func (s *session) timeCalls(count int, name, arguments string) ([]time.Duration, error) {
	var times []time.Duration
	var err error
	for range count {
		if times, err = s.appendCall(times, name, arguments); err != nil {
			return nil, err
		}
	}
	return times, nil
}

// appendCall makes one call and appends how long it took.
func (s *session) appendCall(times []time.Duration, name, arguments string) ([]time.Duration, error) {
	started := time.Now()
	_, err := s.call(name, arguments)
	return append(times, time.Since(started)), err
}

// end closes the adapter's input, which ends it, and waits for it.
func (s *session) end() error {
	if err := s.in.Close(); err != nil {
		return err
	}
	return s.command.Wait()
}
