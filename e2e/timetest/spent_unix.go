//go:build unix

// Package timetest measures what a test costs. Only tests import it.
package timetest

import (
	"syscall"
	"time"
)

// Spent returns the processor time that this process has used so far. Unlike the time of a clock it does not grow while
// a busy machine runs others, so a test can bound it to distinguish a linear cost from a quadratic one.
func Spent() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // it knows of no error but a wrong argument
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
