package serving

import (
	"math"
	"runtime/debug"
	"testing"
)

// A server sets the GC percentage and the memory limit (R-SCAN-8), unless GOGC and GOMEMLIMIT are set.
func TestMemoryOfServe(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(limit)
	defer debug.SetGCPercent(percent)
	t.Setenv("GOGC", "100")
	t.Setenv("GOMEMLIMIT", "off")
	tuneMemory(servedGCPercent)
	if percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64); percent != 100 ||
		limit != math.MaxInt64 {
		t.Errorf("GOGC and GOMEMLIMIT are set, and the percentage is %d, the limit %d", percent, limit)
	}
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	tuneMemory(servedGCPercent)
	if percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64); percent != servedGCPercent ||
		limit != memoryLimit {
		t.Errorf("the percentage is %d, the limit %d", percent, limit)
	}
}
