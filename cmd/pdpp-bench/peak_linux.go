package main

import (
	"os"
	"syscall"
)

// peakMemory returns the peak resident memory of a process that has ended, in bytes.
func peakMemory(process *os.ProcessState) float64 {
	usage, ok := process.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(usage.Maxrss) * 1024
}
