package faulttest_test

import (
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// watch fails the test if it leaks a goroutine or a descriptor. Call it first in the test, so that its clean-up runs
// last.
func watch(t *testing.T) {
	t.Helper()
	box() // stays open for other tests
	standing, open := goleak.IgnoreCurrent(), descriptors()
	t.Cleanup(func() {
		for attempt := 0; goleak.Find(standing) != nil || descriptors() > open; attempt++ {
			if attempt == 100 {
				goleak.VerifyNone(t, standing)
				t.Errorf("%d descriptors are open, %d were before", descriptors(), open)
				return
			}
			<-time.After(100 * time.Millisecond) // the kernel closes a connection when its last user is done
		}
	})
}

// watchOrWait checks a test for leaked goroutines. A test that waits runs in parallel with others; their parent checks
// all of them, and the stack of a goroutine says whose it is.
func watchOrWait(t *testing.T, waits bool) {
	t.Helper()
	if waits {
		t.Parallel()
	} else {
		watch(t)
	}
}

// descriptors are those that the process has open: 0 on a system that does not list them.
func descriptors() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}
