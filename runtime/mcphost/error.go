package mcphost

// Error says why a configuration file was left as it is. It repeats nothing of the file's content.
type Error struct {
	Path     string
	Message  string // what is wrong, with the path
	NextStep string // what to do now
	Cause    error  // may be nil
}

// Error is one line: the message and the next step.
func (e *Error) Error() string {
	if e.NextStep == "" {
		return e.Message
	}
	return e.Message + "; " + e.NextStep
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }
