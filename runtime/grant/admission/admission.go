package admission

import (
	"context"
	"errors"
	"sync"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Admission makes requests wait until the kind of a bearer is known. After a failure, the next request asks again. It
// implements host.Local with that bearer, and is safe for concurrent use.
type Admission struct {
	lifetime context.Context // of the server; a question outlives its request
	reader   rs.Reader
	signIn   string             // of a refusal
	learn    func(*rs.Response) // may be nil
	refused  chan struct{}      // closed with the refusal
	schema   schemaquery.Kept

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

// New returns the Admission of a reader with one bearer. SignIn is the command line that gets another
// credential. Learn, which may be nil, receives the compact schema of an admitted bearer before any request continues.
// Nothing is sent before Begin, Wait or Environment.
func New(lifetime context.Context, reader rs.Reader, signIn string, learn func(*rs.Response)) *Admission {
	return &Admission{lifetime: lifetime, reader: reader, signIn: signIn, learn: learn, refused: make(chan struct{})}
}

// Environment is a toolcall.Environment that admits a request.
func (a *Admission) Environment(ctx context.Context) (tool.Env, error) {
	return tool.Env{RS: tool.Wrap(a.reader, a.Get, nil, nil)}, a.Wait(ctx)
}

// Get reads with the bearer, which must be admitted. It keeps the schema for reads within schemaquery.Recent.
func (a *Admission) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	return a.schema.Get(ctx, request, a.reader.Get)
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
	default:
		a.schema.Keep(schema)
		if a.learn != nil {
			a.learn(schema)
		}
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
