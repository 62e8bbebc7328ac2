package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// coldStart measures the time from the start of the process to the answer of initialize.
func (s *suite) coldStart() error {
	var times []time.Duration
	for range s.effort.starts + 1 {
		started := time.Now()
		session, err := s.startStdio(clientToken + "0")
		if err != nil {
			return err
		}
		if _, err := session.ask("initialize", initializeParams); err != nil {
			return err
		}
		times = append(times, time.Since(started))
		if err := session.end(); err != nil {
			return err
		}
	}
	times = times[1:] // the first start reads the binary from disk
	s.report.add(atMost("cold start to the initialize answer, stdio, median", 12, milliseconds(median(times)), "ms",
		fmt.Sprintf("p90 %.1f ms of %d starts", milliseconds(quantile(times, 0.9)), len(times))))
	return nil
}

// latency compares a call in each revision with the direct GET of the same page and with a bare relay of it. It
// alternates between them.
func (s *suite) latency() error {
	sessions, err := s.eachRevision()
	if err != nil {
		return err
	}
	bare, err := s.startRelay()
	if err != nil {
		return err
	}
	direct := &loader{transport: newTransport(1), make: get(s.provider+queryPath, clientToken+"0"), sent: new(counter)}
	var gets, relayed []time.Duration
	calls := make([][]time.Duration, len(sessions))
	for range s.effort.calls {
		if err := direct.exchange(s.ctx, &gets); err != nil {
			return err
		}
		if relayed, err = bare.appendCall(relayed, queryTool, queryArguments); err != nil {
			return err
		}
		for i, session := range sessions {
			if calls[i], err = session.appendCall(calls[i], queryTool, queryArguments); err != nil {
				return err
			}
		}
	}
	for i, session := range sessions {
		s.report.add(atMost(fmt.Sprintf("stdio call above the direct GET, query_records 25 × 1 kB, %s, p50", session.revision), 0.45,
			milliseconds(median(calls[i])-median(gets)), "ms", fmt.Sprintf("call %.2f ms, GET %.2f ms, a relay that does nothing but that GET %.2f ms",
				milliseconds(median(calls[i])), milliseconds(median(gets)), milliseconds(median(relayed)))))
		err = errors.Join(err, session.end())
	}
	return errors.Join(err, bare.end())
}

// eachRevision starts an initialized session of every revision.
func (s *suite) eachRevision() ([]*session, error) {
	var sessions []*session
	for _, revision := range revisions {
		session, err := s.localOf(revision, clientToken+"0")
		if err != nil {
			return nil, err
		}
		sessions = append(sessions, session)
	}
	return sessions, nil
}

// inFlight measures the rate of one session with 32 calls in flight.
func (s *suite) inFlight() error {
	sessions, err := s.eachRevision()
	if err != nil {
		return err
	}
	rates := make([][]float64, len(sessions))
	var directs []float64
	for range s.effort.rounds {
		found, err := load(s.ctx, 32, s.effort.window, get(s.provider+queryPath, clientToken+"0"))
		if err != nil {
			return err
		}
		directs = append(directs, found.rate)
		for i, session := range sessions {
			rate, err := session.pipeline(s.ctx, 32, s.effort.window)
			if err != nil {
				return err
			}
			rates[i] = append(rates[i], rate)
		}
	}
	for i, session := range sessions {
		s.report.add(atLeast(fmt.Sprintf("stdio, 32 in flight, query_records 25 × 1 kB, %s", session.revision), 4_000, median(rates[i]), "calls/s",
			fmt.Sprintf("direct GET %s/s", grouped(int64(median(directs))))))
		err = errors.Join(err, session.end())
	}
	return err
}

// pipeline keeps depth calls in flight for the window and returns the answers per second.
func (s *session) pipeline(ctx context.Context, depth int, window time.Duration) (float64, error) {
	send := func() error {
		s.asked++
		_, err := io.WriteString(s.in, request(s.asked, "tools/call", s.revision.toolCall(queryTool, queryArguments)))
		return err
	}
	for range depth {
		if err := send(); err != nil {
			return 0, err
		}
	}
	started, answered := time.Now(), 0
	for under := depth; under > 0; under-- {
		answer, err := s.line()
		if err != nil {
			return 0, err
		}
		if err := succeeded(answer); err != nil {
			return 0, err
		}
		answered++
		if ctx.Err() == nil && time.Since(started) < window {
			if err := send(); err != nil {
				return 0, err
			}
			under++
		}
	}
	return float64(answered) / time.Since(started).Seconds(), nil
}

// mixed are calls of every tool, for memory.
var mixed = []struct{ tool, arguments string }{
	{queryTool, queryArguments},
	{"schema", `{}`},
	{"search", `{"q":"overdraft"}`},
	{"fetch", `{"id":"cin_gmail_personal/messages:msg-001"}`},
	{"aggregate", `{"stream":"messages","metric":"count"}`},
	{"read_record_field", `{"id":"cin_gmail_personal/messages:msg-001","field_path":"snippet"}`},
	{queryTool, `{"stream":"records_200","limit":100}`},
}

// localMemory measures the resident memory after many calls of every tool.
func (s *suite) localMemory() error {
	session, err := s.local(clientToken + "0")
	if err != nil {
		return err
	}
	for i := range s.effort.mixed {
		call := mixed[i%len(mixed)]
		if _, err := session.call(call.tool, call.arguments); err != nil {
			return err
		}
	}
	process := session.command.Process
	s.report.add(atMost(fmt.Sprintf("resident memory after %s mixed stdio calls", grouped(int64(s.effort.mixed))), 35, memory(process, "VmRSS")/(1<<20), "MiB",
		fmt.Sprintf("peak %.1f MiB", memory(process, "VmHWM")/(1<<20))))
	return session.end()
}

// largeSchema measures the time and memory to read the schema index out of a full document of several MB.
func (s *suite) largeSchema() error {
	const token = largeToken + "20-30-25-" // and a number
	var times []time.Duration
	var peaks []float64
	var document, result int
	for i := range max(2, s.effort.starts/4) {
		session, err := s.local(fmt.Sprint(token, i))
		if err != nil {
			return err
		}
		if _, err := session.call("aggregate", `{"stream":"messages","metric":"count"}`); err != nil { // reads the kind of the token
			return err
		}
		peak, size, err := session.schemaPeak()
		if err != nil {
			return err
		}
		peaks, result = append(peaks, peak), size
		took, err := session.timeCalls(5, "schema", `{}`)
		if err != nil {
			return err
		}
		times = append(times, took...)
		if err := session.end(); err != nil {
			return err
		}
	}
	sent, err := s.fetched("/v1/schema", token+"0")
	if err != nil {
		return err
	}
	document = len(sent)
	what := fmt.Sprintf("global schema of %.1f MB", float64(document)/1e6)
	s.report.add(
		atMost(what+", result", 40_000, float64(result), "bytes", ""),
		atMost(what+", p50", 60, milliseconds(median(times)), "ms", fmt.Sprintf("p90 %.1f ms", milliseconds(quantile(times, 0.9)))),
		atMost(what+", peak memory above idle", 3, median(peaks)/float64(document), "×", fmt.Sprintf("%.1f MiB", median(peaks)/(1<<20))),
	)
	return nil
}

// schemaPeak reads the schema index once. It returns by how many bytes the resident memory peaked above what was held
// before, and the bytes of text and structured output in the result.
func (s *session) schemaPeak() (peak float64, size int, err error) {
	process := s.command.Process
	before := memory(process, "VmRSS")
	if before > 0 {
		if err := forgetPeak(process); err != nil {
			return 0, 0, err
		}
	}
	answer, err := s.call("schema", `{}`)
	if err != nil {
		return 0, 0, err
	}
	text, structured, _, err := channels(answer)
	return memory(process, "VmHWM") - before, text + structured, err
}
