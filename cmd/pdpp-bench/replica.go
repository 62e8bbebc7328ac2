package main

import "fmt"

// replica measures the rate and the processor time of each kind of call of one hosted adapter, the input of the model
// of replicas. The provider and the clients share the machine's cores, so the processor time carries over to other
// machines and the rate does not.
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
