package tool

import (
	"context"
	"errors"
	"sync"
)

// SignInError is the error of a call whose grant has ended (R-TRUST-3). A host that can show the user a page can offer
// a new sign-in and run the call again. Failed reports the cause.
type SignInError struct {
	Cause   error
	Command string // the command line that gets the same grant again

	// SignIn returns the sign-in for the grant, which all of its calls share. It is nil if none can be offered now. It
	// starts the sign-in if none is running. IsNeeded is false for a call that other sources answer. Such calls get one
	// sign-in while the server runs, and none if the grant had expired when the server started.
	SignIn func(isNeeded bool) SignIn
}

func (e *SignInError) Error() string { return e.Cause.Error() }

func (e *SignInError) Unwrap() error { return e.Cause }

// Missed collects the sources that are missing in the answer of a call because their grants have ended.
type Missed struct {
	mu    sync.Mutex
	ended []*SignInError
}

type missedKey struct{}

// Within returns the context of a call whose reads add to m.
func (m *Missed) Within(ctx context.Context) context.Context {
	return context.WithValue(ctx, missedKey{}, m)
}

func (m *Missed) Ended() []*SignInError {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ended
}

// Miss adds a source to the Missed of the context, if there is one and the source's grant has ended.
func Miss(ctx context.Context, err error) {
	missed, isCollected := ctx.Value(missedKey{}).(*Missed)
	if ended, hasEnded := errors.AsType[*SignInError](err); isCollected && hasEnded {
		missed.mu.Lock()
		defer missed.mu.Unlock()
		missed.ended = append(missed.ended, ended)
	}
}

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
