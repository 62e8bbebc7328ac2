package tool

// UnconfirmedError is a change that the resource server accepted, when what was asked for is not so afterwards, or
// cannot be seen to be. Result is what the server says is so; it is shown, since it may hold what no later answer has.
type UnconfirmedError struct {
	Message string
	Result  *Result
	Cause   error // may be nil
}

func (e *UnconfirmedError) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *UnconfirmedError) Unwrap() error { return e.Cause }
