package host

import "time"

// Recorder counts what a hosted server does. Every string comes from a closed set: routes, statuses,
// methods, tools and codes that this server knows, never what a client or a resource server wrote. It is
// called concurrently and must not block.
type Recorder interface {
	// Request is one HTTP request that was answered.
	Request(route string, status int, elapsed time.Duration)

	// Call is one tool call or resource read: ok, or the code of its error.
	Call(tool, code string, elapsed time.Duration)

	// Read is one request to the resource server with its headers: its status, 0 when there was none.
	Read(status int, elapsed time.Duration)

	// Child is one read of a source of a package: a fanout.Result.
	Child(result string, elapsed time.Duration)
}

type silentRecorder struct{}

func (silentRecorder) Request(string, int, time.Duration) {}
func (silentRecorder) Call(string, string, time.Duration) {}
func (silentRecorder) Read(int, time.Duration)            {}
func (silentRecorder) Child(string, time.Duration)        {}
