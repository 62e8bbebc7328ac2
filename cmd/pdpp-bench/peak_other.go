//go:build !linux

package main

import "os"

// peakMemory is unknown on other systems.
func peakMemory(*os.ProcessState) float64 { return 0 }
