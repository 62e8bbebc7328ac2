package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

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
		before, err := processorTime(server.process)
		if err != nil {
			return err
		}
		found, err := load(s.ctx, 64, s.effort.window, calls)
		if err != nil {
			return err
		}
		after, err := processorTime(server.process)
		if err != nil {
			return err
		}
		each := milliseconds(after-before) / (found.rate * s.effort.window.Seconds())
		s.report.add(figure(fmt.Sprintf("one replica, 64 connections, %s %s", kind.tool, kind.arguments), found.rate, "calls/s",
			fmt.Sprintf("%.2f ms of processor time a call, %.0f calls/s of a core; p50 %.1f ms; resident %.0f MiB",
				each, 1000/each, milliseconds(found.p50), memory(server.process, "VmRSS")/(1<<20))))
	}
	return server.process.Kill()
}

// clockTick is the unit of times in /proc, which Linux fixes for programs (USER_HZ).
const clockTick = 10 * time.Millisecond

var errNoProcessorTime = errors.New("/proc does not say how long the process ran")

// processorTime returns how long a process has run, in its own code and in the system's (proc_pid_stat(5)).
func processorTime(process *os.Process) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process.Pid))
	if err != nil {
		return 0, err
	}
	_, members, _ := strings.Cut(string(stat), ") ") // the program's name may hold spaces
	fields := strings.Fields(members)
	if len(fields) < 13 {
		return 0, errNoProcessorTime
	}
	own, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, errNoProcessorTime
	}
	system, err := strconv.Atoi(fields[12])
	if err != nil {
		return 0, errNoProcessorTime
	}
	return time.Duration(own+system) * clockTick, nil
}
