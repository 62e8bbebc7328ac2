package child

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// maxMemory is the memory that the process may add to what it has at its start.
const maxMemory = 512 << 20

// maxFiles is how many files may be open while PDFium is loaded.
const maxFiles = 32

// limitProcess limits address space, processor time and open files. It also keeps the process from gaining privileges
// (PR_SET_NO_NEW_PRIVS).
func limitProcess(processor time.Duration) error {
	statistics, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	pages, err := strconv.ParseUint(string(bytes.Fields(statistics)[0]), 10, 64)
	if err != nil {
		return err
	}
	seconds := uint64(processor / time.Second)
	return limit(map[int]uint64{
		unix.RLIMIT_AS: pages*uint64(os.Getpagesize()) + maxMemory, unix.RLIMIT_DATA: maxMemory,
		unix.RLIMIT_CPU: seconds, unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: maxFiles,
	})
}

// closeFiles makes opening and extending files fail.
func closeFiles() error {
	return limit(map[int]uint64{unix.RLIMIT_NOFILE: 0, unix.RLIMIT_FSIZE: 0})
}

func limit(limits map[int]uint64) error {
	for resource, maximum := range limits {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: maximum, Max: maximum}); err != nil {
			return err
		}
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}
