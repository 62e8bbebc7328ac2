package serving

import (
	"runtime/debug"
	"testing"
)

// A server raises the GC percentage, unless GOGC is set.
func TestGCPercentOfServe(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "100")
	raiseGCPercent(servedGCPercent)
	if percent := debug.SetGCPercent(100); percent != 100 {
		t.Errorf("GOGC is set, and the percentage is %d", percent)
	}
	t.Setenv("GOGC", "")
	raiseGCPercent(servedGCPercent)
	if percent := debug.SetGCPercent(100); percent != servedGCPercent {
		t.Errorf("the percentage is %d, want %d", percent, servedGCPercent)
	}
}
