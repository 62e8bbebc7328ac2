package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

// callers is the number of tokens that calls rotate through, so that none reaches its rate limit.
const callers = 1000

// hosted compares the hosted adapter with a bare reverse proxy, in alternating loads, and measures its memory.
func (s *suite) hosted() error {
	server, err := s.startHosted()
	if err != nil {
		return err
	}
	calls := map[revision]next{}
	for _, revision := range revisions {
		calls[revision] = hostedCall(server.url, revision, queryTool, queryArguments, clientToken, callers)
		if err := s.warm(calls[revision]); err != nil {
			return err
		}
	}
	peak := 0.0
	for _, bar := range []struct {
		connections int
		rate        float64 // over the proxy's
	}{{16, 0.40}, {64, 0.45}} {
		if err := s.compareWithProxy(bar.connections, bar.rate, server.process, calls, func() { peak = max(peak, memory(server.process, "VmRSS")) }); err != nil {
			return err
		}
	}
	s.report.add(atMost("resident memory, hosted under 64 connections", 70, peak/(1<<20), "MiB",
		fmt.Sprintf("peak %.1f MiB", memory(server.process, "VmHWM")/(1<<20))))
	return server.process.Kill()
}

// compareWithProxy alternates loads of the proxy and of the adapter in each revision, and calls look after each load.
func (s *suite) compareWithProxy(connections int, bar float64, adapter *os.Process, calls map[revision]next, look func()) error {
	var proxy []float64
	var proxySpent spent
	adapterSpent := map[revision]*spent{}
	for _, revision := range revisions {
		adapterSpent[revision] = &spent{}
	}
	rates, ratios, tails := map[revision][]float64{}, map[revision][]float64{}, map[revision][]float64{}
	for range s.effort.rounds {
		related, err := s.watched(s.proxyProcess, &proxySpent, connections, get(s.proxy+queryPath, clientToken+"0"))
		if err != nil {
			return err
		}
		proxy = append(proxy, related.rate)
		for _, revision := range revisions {
			found, err := s.watched(adapter, adapterSpent[revision], connections, calls[revision])
			if err != nil {
				return err
			}
			look()
			rates[revision] = append(rates[revision], found.rate)
			ratios[revision] = append(ratios[revision], found.rate/related.rate)
			tails[revision] = append(tails[revision], float64(found.p99)/float64(related.p99))
		}
	}
	direct, err := load(s.ctx, connections, s.effort.window, get(s.provider+queryPath, clientToken+"0"))
	if err != nil {
		return err
	}
	for _, revision := range revisions {
		what := fmt.Sprintf("hosted query_records, %d connections, %s, ", connections, revision)
		s.report.add(
			atLeast(what+"rate over the proxy's", bar, median(ratios[revision]), "×", fmt.Sprintf(
				"adapter %s/s, proxy %s/s, direct GET %s/s; processor time of an answer, with driver and provider: adapter %s, proxy %s",
				grouped(int64(median(rates[revision]))), grouped(int64(median(proxy))), grouped(int64(direct.rate)), adapterSpent[revision], &proxySpent)),
			atMost(what+"p99 over the proxy's", 3, median(tails[revision]), "×", ""),
		)
	}
	return nil
}

// warm makes one call as every caller, so that all tokens have been introspected.
func (s *suite) warm(call next) error {
	warming := loader{transport: newTransport(16), make: call, sent: new(counter)}
	defer warming.transport.CloseIdleConnections()
	return warming.each(16, func() error {
		for range callers/16 + 1 {
			if err := warming.exchange(s.ctx, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// packageSearch measures a search over a package of twenty children that each take searchTakes.
func (s *suite) packageSearch() error {
	server, err := s.startHosted()
	if err != nil {
		return err
	}
	times, err := searchTimes(s.ctx, server, packageToken+"20", min(40, s.effort.calls))
	if err != nil {
		return err
	}
	direct, err := s.childrenAtOnce(20, min(40, s.effort.calls))
	if err != nil {
		return err
	}
	s.report.add(atMost("package search over 20 children of 5 ms each, p50", 15, milliseconds(median(times)), "ms",
		fmt.Sprintf("p90 %.1f ms; 20 direct GETs at once %.1f ms", milliseconds(quantile(times, 0.9)), milliseconds(median(direct)))))
	return server.process.Kill()
}

// childrenAtOnce times parallel direct GETs of so many children, the lower bound of a search.
func (s *suite) childrenAtOnce(children, rounds int) ([]time.Duration, error) {
	reading := loader{transport: newTransport(children), make: get(s.provider+"/v1/search?q=overdraft&limit=25", childToken+"0"), sent: new(counter)}
	defer reading.transport.CloseIdleConnections()
	var times []time.Duration
	for range rounds {
		started := time.Now()
		if err := reading.each(children, func() error { return reading.exchange(s.ctx, nil) }); err != nil {
			return nil, err
		}
		times = append(times, time.Since(started))
	}
	return times, nil
}

// searchTimes times sequential searches of one caller. Calls must stay below the 60 that a caller may send in a burst.
// The first search, which introspects the token, does not count.
func searchTimes(ctx context.Context, server *hosted, token string, calls int) ([]time.Duration, error) {
	searching := loader{transport: newTransport(1), make: hostedCall(server.url, common, "search", `{"q":"overdraft","limit":25}`, token, 1), sent: new(counter)}
	defer searching.transport.CloseIdleConnections()
	var times []time.Duration
	for range calls + 1 {
		if err := searching.exchange(ctx, &times); err != nil {
			return nil, err
		}
	}
	return times[1:], nil
}
