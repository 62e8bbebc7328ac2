package tool

import "context"

// SignInError is the error of a call whose grant has ended (R-TRUST-3). A host that can show the user a page can offer a new sign-in and
// run the call again. Failed reports the cause.
type SignInError struct {
	Cause error

	// SignIn returns the sign-in for the grant, which all of its calls share. It is nil if none can be offered now. It starts the sign-in
	// if none is running.
	SignIn func() SignIn
}

func (e *SignInError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *SignInError) Unwrap() error { return e.Cause }

// SignIn is a sign-in that waits for the user's approval on a page of the provider. It is safe for concurrent use.
type SignIn interface {
	// ID identifies the sign-in to the host. It is random.
	ID() string

	// Page returns the page and a message for the user that names its origin.
	Page(ctx context.Context) (url, message string, err error)

	// Offer reports whether the caller must show the page: it is the first to ask.
	Offer() bool

	// Decline ends the sign-in. No other one is offered for the grant for a while.
	Decline()

	// Wait returns nil once the new grant is stored. It returns an error if the sign-in failed, or the context's error.
	Wait(ctx context.Context) error
}
