package host

import (
	"context"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// CredentialRefused is the code of calls that came in while the server was giving up because of its
// credential.
const CredentialRefused tool.Code = "credential_refused"

// Refusal says that the resource server reports a bearer of a kind that must not be used (R-STDIO-3).
type Refusal struct {
	TokenKind   string // as the resource server says it; empty when nobody knows what it says
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

// admission keeps requests waiting until the resource server has said of what kind the bearer is.
// The question runs beside the handshake. While it cannot be answered, the next request asks again.
type admission struct {
	lifetime context.Context // of the server; a question outlives the request that asked it
	env      tool.Env
	signIn   string        // a command line, for a refusal
	refused  chan struct{} // closed with the refusal

	mu       sync.Mutex
	admitted bool
	refusal  *Refusal
	pending  *question // nil when none is under way
}

type question struct {
	answered chan struct{}
	err      error // set before answered is closed
}

func newAdmission(lifetime context.Context, reader rs.Reader, signIn string) *admission {
	return &admission{lifetime: lifetime, env: tool.Env{RS: reader}, signIn: signIn, refused: make(chan struct{})}
}

// environment admits a request. It is an Environment.
func (a *admission) environment(ctx context.Context, _ *mcp.RequestExtra) (tool.Env, error) {
	pending := a.ask()
	if pending == nil {
		return a.env, nil
	}
	select {
	case <-pending.answered:
	case <-ctx.Done():
		return tool.Env{}, ctx.Err()
	}
	if pending.err != nil {
		return tool.Env{}, pending.err
	}
	return a.env, nil
}

// ask joins the question under way or begins one. It gives nil when the bearer is known to be good.
func (a *admission) ask() *question {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.admitted:
		return nil
	case a.pending != nil:
		return a.pending
	}
	asked := &question{answered: make(chan struct{})}
	if a.refusal != nil {
		asked.err = refusedCall(a.refusal)
		close(asked.answered)
		return asked
	}
	a.pending = asked
	go a.resolve(asked)
	return asked
}

func (a *admission) resolve(asked *question) {
	kind, err := a.tokenKind()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pending = nil
	switch {
	case err != nil:
		asked.err = err
	case kind == rs.KindClient:
		a.admitted = true
	default:
		a.refusal = a.refuse(kind)
		asked.err = refusedCall(a.refusal)
		close(a.refused)
	}
	close(asked.answered)
}

// tokenKind reads the bearer block of the compact schema. A kind that is not stated is a client's (R-STDIO-3); a
// statement that nobody understands gives none, which is refused like any other that is not client.
func (a *admission) tokenKind() (string, error) {
	response, err := a.env.RS.Get(a.lifetime, schemadoc.Scope{}.Request(false))
	if err != nil {
		return "", err
	}
	bearer, err := rs.SchemaBearer(response.Body())
	switch {
	case err != nil:
		return "", nil
	case bearer.IsClient():
		return rs.KindClient, nil
	}
	return bearer.Kind, nil
}

func (a *admission) refuse(kind string) *Refusal {
	return &Refusal{TokenKind: kind, ProviderURL: a.env.RS.ProviderURL(), SignIn: a.signIn}
}

func refusedCall(refusal *Refusal) error {
	return &tool.Error{Code: CredentialRefused, Message: refusal.Error(), Cause: refusal}
}

// settle waits until the question under way is answered or the context ends, and gives the refusal
// if there is one.
func (a *admission) settle(ctx context.Context) *Refusal {
	a.mu.Lock()
	pending := a.pending
	a.mu.Unlock()
	if pending != nil {
		select {
		case <-pending.answered:
		case <-ctx.Done():
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.refusal
}

// Admit asks the resource server once of what kind the reader's bearer is, for callers that serve no
// session; signIn is the command line that gets another credential. It gives nil for a client token, a *Refusal for any other, or the error of the request.
func Admit(ctx context.Context, reader rs.Reader, signIn string) error {
	asking := newAdmission(ctx, reader, signIn)
	kind, err := asking.tokenKind()
	switch {
	case err != nil:
		return err
	case kind != rs.KindClient:
		return asking.refuse(kind)
	}
	return nil
}
