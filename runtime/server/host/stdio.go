package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// shutdownTimeout limits the wait for running requests, and for the kind of the credential, which decides the exit
// code.
const shutdownTimeout = 2 * time.Second

// Streams are the input and output of a local server.
type Streams = toolcall.Streams

// Local is the credential of a local server: an Admission, or a membership.Membership.
type Local interface {
	// Begin asks for the kind of the bearer, concurrently with the handshake.
	Begin()

	// Environment is a toolcall.Environment. It waits until the kind of the bearer is known.
	Environment(ctx context.Context) (tool.Env, error)

	// Refused returns a channel that is closed if a bearer must not be used (R-STDIO-3).
	Refused() <-chan struct{}

	// Settle waits for pending admissions until the context ends. It returns the refusal, if any.
	Settle(ctx context.Context) *Refusal
}

// ServeLocal serves one session over newline-delimited JSON. It returns nil when the input ends or the context is done,
// a *Refusal if a bearer is not a client token, and another error if the session failed. After the input has ended,
// running requests are still answered.
func ServeLocal(ctx context.Context, surface tool.Surface, options Options, local Local, streams Streams) error {
	local.Begin()
	err := serveSession(ctx, surface, options, local.Environment, streams, local.Refused())
	if ctx.Err() != nil {
		return nil
	}
	waiting, stop := context.WithTimeout(ctx, shutdownTimeout)
	defer stop()
	if refusal := local.Settle(waiting); refusal != nil {
		return refusal
	}
	return err
}

// ServeSession is ServeLocal for an environment that needs no admission.
func ServeSession(ctx context.Context, surface tool.Surface, options Options, environment toolcall.Environment, streams Streams) error {
	return serveSession(ctx, surface, options, environment, streams, nil)
}

// serveSession also ends the session when refused is closed.
func serveSession(ctx context.Context, surface tool.Surface, options Options, environment toolcall.Environment, streams Streams, refused <-chan struct{}) error {
	lifetime, end := context.WithCancel(ctx)
	defer end()
	runner := options.newRunner(surface, environment)
	served := toolcall.NewSession(lifetime, runner, options.identity(), options.callTimeout()+shutdownTimeout, streams)
	sdk, err := newServer(surface, options.identity(), runner, refuseCall).Connect(lifetime, served, nil)
	if err != nil {
		return fmt.Errorf("start the MCP session: %w", err)
	}
	served.Serve(sdk)
	ended := make(chan error, 1)
	go func() { ended <- sdk.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("the MCP session failed: %w", err)
		}
		return nil
	case <-refused:
		// Calls that wait for the kind of the bearer get its refusal.
		served.Wait(ctx, shutdownTimeout)
	case <-ctx.Done():
		served.Wait(context.WithoutCancel(ctx), shutdownTimeout)
	}
	_ = served.Close() // it fails if the client has disconnected
	select {
	case <-ended:
	case <-time.After(shutdownTimeout):
	}
	return nil
}

// CredentialRefused is the code of calls after a Refusal, until the server ends.
const CredentialRefused tool.Code = "credential_refused"

// Refusal is a bearer of a kind that must not be used (R-STDIO-3).
type Refusal struct {
	TokenKind   string // according to the resource server; empty if unreadable
	ProviderURL string
	SignIn      string // the command line that gets another credential
}

func (r *Refusal) Error() string {
	kind := fmt.Sprintf("a token of kind %q", r.TokenKind)
	switch r.TokenKind {
	case rs.KindPackage:
		return fmt.Sprintf("the credential is a package token, which is accepted only by the hosted MCP server at %s/mcp; "+
			"approve one connection for this machine: run: %s", r.ProviderURL, r.SignIn)
	case rs.KindOwner:
		kind = "an owner token"
	case "":
		kind = "a token of unknown kind"
	}
	return fmt.Sprintf("%s reports the credential as %s, but this server uses only scoped client tokens; run: %s",
		r.ProviderURL, kind, r.SignIn)
}

// OfCall returns the error of calls after the refusal.
func (r *Refusal) OfCall() *tool.Error {
	return &tool.Error{Code: CredentialRefused, Message: r.Error(), Cause: r}
}

// Admit returns the compact schema if the reader's bearer is a client's or its kind is unstated (R-STDIO-3). Any other
// kind is a *Refusal with the sign-in command.
func Admit(ctx context.Context, reader rs.Reader, signIn string) (*rs.Response, error) {
	schema, _, err := schemaquery.Admit(ctx, reader)
	other, isOther := errors.AsType[*rs.KindError](err)
	refused, isRefused := errors.AsType[*rs.Error](err)
	switch {
	case isOther:
		return nil, &Refusal{TokenKind: other.Kind, ProviderURL: reader.ProviderURL(), SignIn: signIn}
	case isRefused && refused.NeedsSignIn():
		return nil, tool.SignInAgain(err, signIn)
	}
	return schema, err
}

// Admission makes requests wait until the kind of a bearer is known. After a failure, the next request asks again. It
// implements Local with that bearer, and is safe for concurrent use.
type Admission struct {
	lifetime context.Context // of the server; a question outlives its request
	reader   rs.Reader
	signIn   string             // of a refusal
	learn    func(*rs.Response) // may be nil
	refused  chan struct{}      // closed with the refusal

	mu       sync.Mutex
	question *question // running, or answered without a failure; may be nil
}

// question is a request for the kind of the bearer.
type question struct {
	answered chan struct{}
	err      error // set before answered is closed
}

func (q *question) wait(ctx context.Context) error {
	select {
	case <-q.answered:
		return q.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// NewAdmission returns the Admission of a reader with one bearer. SignIn is the command line that gets another
// credential. Learn, which may be nil, receives the compact schema of an admitted bearer before any request continues.
// Nothing is sent before Begin, Wait or Environment.
func NewAdmission(lifetime context.Context, reader rs.Reader, signIn string, learn func(*rs.Response)) *Admission {
	return &Admission{lifetime: lifetime, reader: reader, signIn: signIn, learn: learn, refused: make(chan struct{})}
}

// Environment is a toolcall.Environment that admits a request.
func (a *Admission) Environment(ctx context.Context) (tool.Env, error) {
	return tool.Env{RS: a.reader}, a.Wait(ctx)
}

// Wait returns nil once the bearer is admitted, a *tool.Error after a refusal, or the error of the request or the
// context.
func (a *Admission) Wait(ctx context.Context) error { return a.ask().wait(ctx) }

// Refused returns a channel that is closed with the refusal.
func (a *Admission) Refused() <-chan struct{} { return a.refused }

// Begin asks for the kind, unless that is known or already asked for.
func (a *Admission) Begin() { a.ask() }

func (a *Admission) ask() *question {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.question == nil {
		a.question = &question{answered: make(chan struct{})}
		go a.resolve(a.question)
	}
	return a.question
}

func (a *Admission) resolve(asked *question) {
	schema, err := Admit(a.lifetime, a.reader, a.signIn)
	refusal, isRefused := errors.AsType[*Refusal](err)
	switch {
	case isRefused:
		asked.err = refusal.OfCall()
		close(a.refused)
	case err != nil:
		asked.err = err
		a.mu.Lock()
		a.question = nil
		a.mu.Unlock()
	case a.learn != nil:
		a.learn(schema)
	}
	close(asked.answered)
}

// Settle waits until the running question is answered or the context ends. It returns the refusal, if any.
func (a *Admission) Settle(ctx context.Context) *Refusal {
	a.mu.Lock()
	asked := a.question
	a.mu.Unlock()
	if asked == nil {
		return nil
	}
	refusal, _ := errors.AsType[*Refusal](asked.wait(ctx))
	return refusal
}
