//go:build !unix

package ownfile

// CheckWritable returns nil: this system has no check without a write.
func CheckWritable(string) error { return nil }
