package child

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// maxMemory is the memory that the process may add to what it has at its start.
const maxMemory = 512 << 20

// maxFiles limits the open files while PDFium is loaded.
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

// limitReading limits the processor time from now on, and returns the limit of the time since the process began.
func limitReading(processor time.Duration) (time.Duration, error) {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return 0, err
	}
	total := time.Duration(used.Utime.Nano()+used.Stime.Nano()) + processor
	seconds := (total + time.Second - 1) / time.Second
	return seconds * time.Second, limit(map[int]uint64{unix.RLIMIT_CPU: uint64(seconds)})
}

// keepFiles keeps a child from inheriting files that this process has inherited. Go's own files are never inherited.
func keepFiles() {
	if unix.CloseRange(firstFile, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	files, _ := os.ReadDir("/proc/self/fd") // before Linux 5.11
	for _, file := range files {
		if number, err := strconv.Atoi(file.Name()); err == nil && number >= firstFile {
			unix.CloseOnExec(number)
		}
	}
}

// firstFile is the first file after standard input, output and error.
const firstFile = 3

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
