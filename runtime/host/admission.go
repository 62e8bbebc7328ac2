package host

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// CredentialRefused is the code of calls that came in while the server was giving up because of its
// credential.
const CredentialRefused tool.Code = "credential_refused"

// Refusal says that the resource server reports a bearer of a kind that must not be used (R-STDIO-3).
type Refusal struct {
	TokenKind   string // as the resource server says it; empty when that could not be read
	ProviderURL string
	SignIn      string // the command line that gets another credential
}

func (r *Refusal) Error() string {
	kind := fmt.Sprintf("a token of kind %q", r.TokenKind)
	switch r.TokenKind {
	case rs.KindOwner:
		kind = "an owner token"
	case "":
		kind = "a token of unknown kind"
	}
	return fmt.Sprintf("%s reports the credential as %s; only scoped client tokens are used here; run: %s",
		r.ProviderURL, kind, r.SignIn)
}

// Admit asks the resource server once of what kind the reader's bearer is: it reads the bearer block of the compact schema. It
// gives nil for a client token and for a kind that is not stated (R-STDIO-3), a *Refusal with signIn for any other and for one
// that could not be read, or the error of the request. SignIn is the command line that gets another credential.
func Admit(ctx context.Context, reader rs.Reader, signIn string) error {
	response, err := reader.Get(ctx, schemadoc.Scope{}.Request(false))
	if err != nil {
		return err
	}
	bearer, err := rs.SchemaBearer(response.Body())
	if err == nil && bearer.IsClient() {
		return nil
	}
	return &Refusal{TokenKind: bearer.Kind, ProviderURL: reader.ProviderURL(), SignIn: signIn}
}

// admission keeps requests waiting until the kind of the bearer is known.
// The question runs beside the handshake. While it cannot be answered, the next request asks again.
type admission struct {
	lifetime context.Context // of the server; a question outlives the request that asked it
	reader   rs.Reader
	signIn   string        // of a refusal
	refused  chan struct{} // closed with the refusal

	mu     sync.Mutex
	latest *question
}

type question struct {
	answered chan struct{}
	err      error    // why no request may read; set before answered is closed
	refusal  *Refusal // when that is why
}

func newAdmission(lifetime context.Context, reader rs.Reader, signIn string) *admission {
	return &admission{lifetime: lifetime, reader: reader, signIn: signIn, refused: make(chan struct{})}
}

// environment admits a request. It is an Environment.
func (a *admission) environment(ctx context.Context) (tool.Env, error) {
	asked := a.ask()
	select {
	case <-asked.answered:
		return tool.Env{RS: a.reader}, asked.err
	case <-ctx.Done():
		return tool.Env{}, ctx.Err()
	}
}

// ask gives the question that is under way or answered for good, or begins one.
func (a *admission) ask() *question {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.latest == nil || a.latest.isOpen() {
		a.latest = &question{answered: make(chan struct{})}
		go a.resolve(a.latest)
	}
	return a.latest
}

// isOpen reports whether a question failed, so that it has to be asked again.
func (q *question) isOpen() bool {
	select {
	case <-q.answered:
		return q.err != nil && q.refusal == nil
	default:
		return false
	}
}

func (a *admission) resolve(asked *question) {
	asked.err = Admit(a.lifetime, a.reader, a.signIn)
	if errors.As(asked.err, &asked.refusal) {
		asked.err = &tool.Error{Code: CredentialRefused, Message: asked.refusal.Error(), Cause: asked.refusal}
		close(a.refused)
	}
	close(asked.answered)
}

// settle waits until the question under way is answered or the context ends, and gives the refusal
// if there is one.
func (a *admission) settle(ctx context.Context) *Refusal {
	a.mu.Lock()
	latest := a.latest
	a.mu.Unlock()
	select {
	case <-latest.answered:
		return latest.refusal
	case <-ctx.Done():
		return nil
	}
}
