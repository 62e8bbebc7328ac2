package timetest

import "testing"

// Draws returns how many of n cases a test tries: all of them, or a tenth with the race detector, which makes each of
// them about ten times as expensive. The test itself must call it, because .ci/sequential looks for its callers.
func Draws(n int) int {
	if hasDetector {
		return (n + 9) / 10
	}
	return n
}

// WithoutRace skips a test in a build with the race detector, because races are not its point: what it tests is
// sequential, or tested with the detector elsewhere. The test itself must call it, because .ci/sequential looks for its
// callers.
func WithoutRace(t testing.TB) {
	t.Helper()
	if hasDetector {
		t.Skip("make race runs it without the race detector")
	}
}
