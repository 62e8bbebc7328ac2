package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// loaded is the result of a load.
type loaded struct {
	rate  float64 // answers per second
	count int
	p50   time.Duration
	p99   time.Duration
}

// next makes the next request of a connection. Number counts the requests of all connections.
type next func(ctx context.Context, number int) (*http.Request, error)

// load keeps so many connections busy for the window. It reads every answer to its end and fails for a status other
// than 200.
func load(ctx context.Context, connections int, window time.Duration, make next) (loaded, error) {
	found := loader{transport: newTransport(connections), make: make, sent: new(counter)}
	defer found.transport.CloseIdleConnections()
	if err := found.each(connections, func() error { return found.exchange(ctx, nil) }); err != nil { // opens the connections before the clock starts
		return loaded{}, err
	}
	var mu sync.Mutex
	var times []time.Duration
	started := time.Now()
	err := found.each(connections, func() error {
		var own []time.Duration
		for time.Since(started) < window {
			if err := found.exchange(ctx, &own); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		times = append(times, own...)
		return nil
	})
	elapsed := time.Since(started)
	return loaded{rate: float64(len(times)) / elapsed.Seconds(), count: len(times), p50: median(times), p99: quantile(times, 0.99)}, err
}

// spent is the processor time of loads.
type spent struct {
	own, others time.Duration // of the server that is loaded, and of the driver and the provider
	answers     int
}

// watched runs a load of a server and adds its processor time to spent.
func (s *suite) watched(server *os.Process, spent *spent, connections int, make next) (loaded, error) {
	own, others := processorTime(server), processorTime(s.others...)
	found, err := load(s.ctx, connections, s.effort.window, make)
	spent.own += processorTime(server) - own
	spent.others += processorTime(s.others...) - others
	spent.answers += found.count
	return found, err
}

// String returns the time of one answer.
func (s *spent) String() string {
	each := func(all time.Duration) float64 { return float64(all.Microseconds()) / float64(max(s.answers, 1)) }
	return fmt.Sprintf("%.0f + %.0f µs", each(s.own), each(s.others))
}

// counter counts requests of several connections.
type counter = atomic.Int64

func newTransport(connections int) *http.Transport {
	return &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections, DisableCompression: true}
}

// loader sends requests over some connections.
type loader struct {
	transport *http.Transport
	make      next
	sent      *counter
}

func (l *loader) each(connections int, work func() error) error {
	failures := make(chan error, connections)
	var group sync.WaitGroup
	for range connections {
		group.Go(func() { failures <- work() })
	}
	group.Wait()
	close(failures)
	var all error
	for err := range failures {
		all = errors.Join(all, err)
	}
	return all
}

// exchange sends one request, reads its whole answer and appends how long that took to times, unless that is nil.
func (l *loader) exchange(ctx context.Context, times *[]time.Duration) error {
	request, err := l.make(ctx, int(l.sent.Add(1)))
	if err != nil {
		return err
	}
	started := time.Now()
	response, err := l.transport.RoundTrip(request)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 400))
		return errors.Join(fmt.Errorf("%s answered %d: %s", request.URL, response.StatusCode, text), response.Body.Close())
	}
	if _, err := discard(response.Body); err != nil {
		return err
	}
	if times != nil {
		*times = append(*times, time.Since(started))
	}
	return nil
}

// get makes GET requests of an address with a bearer.
func get(address, bearer string) next {
	return func(ctx context.Context, _ int) (*http.Request, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+bearer)
		return request, nil
	}
}

// hostedCall makes tool calls of the hosted adapter. They rotate through so many callers, since one caller may send
// only 20 requests per second.
func hostedCall(address string, revision revision, tool, arguments, tokens string, callers int) next {
	body := []byte(strings.TrimSpace(request(1, "tools/call", revision.toolCall(tool, arguments))))
	return func(ctx context.Context, number int) (*http.Request, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		bearer := tokens
		if callers > 1 {
			bearer = fmt.Sprint(tokens, number%callers)
		}
		request.Header.Set("Authorization", "Bearer "+bearer)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		revision.announce(request.Header, tool)
		return request, nil
	}
}
