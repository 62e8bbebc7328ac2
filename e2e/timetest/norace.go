//go:build !race

package timetest

const hasDetector = false
