package main

import "fmt"

// replica measures what one hosted adapter takes of each kind of call: what docs/hosting.md models many replicas by. The rate
// is that of a machine whose cores it shares with the provider and the clients; its own processor time is what it costs elsewhere.
func (s *suite) replica() error {
	server, err := s.startHosted()
	if err != nil {
		return err
	}
	for _, kind := range mixed {
		calls := hostedCall(server.url, common, kind.tool, kind.arguments, clientToken, callers)
		if err := s.warm(calls); err != nil {
			return err
		}
		before := processorTime(server.process)
		found, err := load(s.ctx, 64, s.effort.window, calls)
		if err != nil {
			return err
		}
		after := processorTime(server.process)
		each := milliseconds(after-before) / (found.rate * s.effort.window.Seconds())
		s.report.add(figure(fmt.Sprintf("one replica, 64 connections, %s %s", kind.tool, kind.arguments), found.rate, "calls/s",
			fmt.Sprintf("%.2f ms of processor time a call, %.0f calls/s of a core; p50 %.1f ms; resident %.0f MiB",
				each, 1000/each, milliseconds(found.p50), memory(server.process, "VmRSS")/(1<<20))))
	}
	return server.process.Kill()
}
