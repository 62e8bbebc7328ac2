package pdf

import (
	"context"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// withMemory returns a context in which PDFium's memory grows in place, or moves without a copy. Go's heap would hold
// it twice while it grows.
func withMemory(ctx context.Context) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(
		func(uint64, uint64) experimental.LinearMemory { return &mapping{} },
	))
}

// mapping is memory outside of Go's heap.
type mapping struct{ memory []byte }

func (m *mapping) Reallocate(size uint64) []byte {
	var larger []byte
	var err error
	if m.memory == nil {
		larger, err = unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	} else {
		larger, err = unix.Mremap(m.memory, int(size), unix.MREMAP_MAYMOVE)
	}
	if err != nil {
		return nil
	}
	m.memory = larger
	return larger
}

func (m *mapping) Free() {
	if m.memory != nil {
		_ = unix.Munmap(m.memory) // it is a mapping
		m.memory = nil
	}
}
