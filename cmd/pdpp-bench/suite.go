package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// suite is one run: the binary to measure and the processes to compare it with.
type suite struct {
	ctx      context.Context //nolint:containedctx // lives as long as one run
	effort   effort
	binary   string
	provider string // URL of the canned provider
	proxy    string // URL of the reverse proxy before it
	out      io.Writer
	report   *report

	processes    []*os.Process // that were started
	proxyProcess *os.Process
	others       []*os.Process // whose time every load takes: the driver and the provider
}

// The page that most bars refer to, and the call that reads it.
const (
	queryTool      = "query_records"
	queryArguments = `{"stream":"records_1000","limit":25}`
	queryPath      = "/v1/streams/records_1000/records?limit=25"
)

// measureAll runs the parts whose name contains only, prints their progress to out and returns the report.
func measureAll(ctx context.Context, effort effort, only, binary string, out io.Writer) (*report, error) {
	ctx, cancel := context.WithCancel(ctx) // cancel ends the processes
	defer cancel()
	s := &suite{ctx: ctx, effort: effort, binary: binary, out: out, report: newReport()}
	defer s.endProcesses()
	directory, err := os.MkdirTemp("", "pdpp-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(directory) }()
	if s.binary == "" {
		if s.binary, err = buildBinary(ctx, directory); err != nil {
			return nil, err
		}
	}
	var provider *os.Process
	if s.provider, provider, err = s.startRole(providerRole, ""); err != nil {
		return nil, err
	}
	if s.proxy, s.proxyProcess, err = s.startRole(proxyRole, s.provider); err != nil {
		return nil, err
	}
	s.others = []*os.Process{{Pid: os.Getpid()}, provider}
	started := time.Now()
	for _, part := range []struct {
		name    string
		measure func() error
	}{
		{"surface", s.surface},
		{"cold start", s.coldStart},
		{"stdio latency", s.latency},
		{"stdio rate", s.inFlight},
		{"hosted rate", s.hosted},
		{"one replica", s.replica},
		{"package search", s.packageSearch},
		{"large schema", s.largeSchema},
		{"reading on", s.readingOn},
		{"documents", s.documentWindows},
		{"memory", s.localMemory},
		{"result size", s.resultSizes},
		{"binary", s.binarySize},
		{"sweeps", s.sweeps},
	} {
		if !strings.Contains(part.name, only) {
			continue
		}
		_, _ = fmt.Fprintf(out, "%6.1fs  %s\n", time.Since(started).Seconds(), part.name)
		if err := part.measure(); err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	s.report.Seconds = time.Since(started).Seconds()
	return s.report, nil
}

// local starts an initialized session of the common revision.
func (s *suite) local(token string) (*session, error) { return s.localOf(common, token) }

func (s *suite) localOf(revision revision, token string) (*session, error) {
	session, err := s.startStdio(token)
	if err != nil {
		return nil, err
	}
	session.revision = revision
	if _, err := session.greet(); err != nil {
		return nil, err
	}
	return session, nil
}

// fetched returns the body of a direct GET.
func (s *suite) fetched(path, bearer string) ([]byte, error) {
	request, err := get(s.provider+path, bearer)(s.ctx, 0)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	return body, errors.Join(err, response.Body.Close())
}
