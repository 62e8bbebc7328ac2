//go:build race

package timetest

const hasDetector = true
