//go:build !linux

package pdf

import "context"

// withMemory returns the context: PDFium's memory is in Go's heap.
func withMemory(ctx context.Context) context.Context { return ctx }
