//go:build !unix

package timetest

import "time"

var started = time.Now()

// Spent returns the time since the process began, on systems that count no processor time in the same way.
func Spent() time.Duration { return time.Since(started) }
