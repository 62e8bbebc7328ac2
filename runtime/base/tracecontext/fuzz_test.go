package tracecontext_test

import (
	"strings"
	"testing"
)

// FuzzRead checks that what is read is within the limits, has no control characters but tabs, and is read the same
// again.
func FuzzRead(f *testing.F) {
	f.Add(parent, "rojo=1,congo=t61", "userId=alice,isOk=1;meta;k=v")
	f.Add(other, "", "a=b\r\nc: d")
	f.Add(strings.ToUpper(parent), "a=\x00", "0=\t0")
	f.Fuzz(func(t *testing.T, parent, state, baggage string) {
		read := of(parent, state, baggage)
		if again := of(read.Parent, read.State, read.Baggage); again != read {
			t.Errorf("read again: %q, at first %q", again, read)
		}
		isControl := func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
		if strings.ContainsFunc(read.Parent+read.State+read.Baggage, isControl) {
			t.Errorf("control characters in %q", read)
		}
		if len(read.State) > 512 || len(read.Baggage) > 8192 || read.Parent != "" && read.Parent != parent {
			t.Errorf("read %q", read)
		}
	})
}
