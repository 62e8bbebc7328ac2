package invocation

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// CheckInterval is the time between two reads of a secret's file. Orchestrators replace such files with links, which
// file events miss.
const CheckInterval = 2 * time.Second

// CheckTimeout bounds the check of a new secret.
const CheckTimeout = 10 * time.Second

// Rotation replaces a secret after its file changed (R-OPS-3). It is used by one goroutine.
type Rotation struct {
	Secret string // its name in the log
	Logger *slog.Logger

	refused string // the error that was logged last
}

// Check uses a secret if it differs from the current one, which stays in use until a new one is accepted. It logs each
// error once.
func (r *Rotation) Check(file string, current rs.Secret, read func() (rs.Secret, error), use func(fresh rs.Secret) error) {
	fresh, err := read()
	if err == nil && fresh.Reveal() == current.Reveal() {
		r.refused = ""
		return
	}
	if err == nil {
		err = use(fresh)
	}
	switch {
	case err == nil:
		r.refused = ""
		r.Logger.Info("the "+r.Secret+" was read again", "file", file)
	case errors.Is(err, context.Canceled): // the server is shutting down
	case r.refused != err.Error():
		r.refused = err.Error()
		r.Logger.Error("the new "+r.Secret+" is refused; the previous one stays in use", "file", file, "error", err)
	}
}

// IsRefused reports whether the secret that was read last is not in use.
func (r *Rotation) IsRefused() bool { return r.refused != "" }

// admittedToken is a token, and the check of its kind.
type admittedToken struct {
	token rs.Secret
	*admission.Admission
}

// rotatedToken is the host.Local of a token file. A call uses the token that was current when it began. A new token
// becomes current when the resource server has confirmed that it is a client's.
type rotatedToken struct {
	*Provider
	lifetime context.Context //nolint:containedctx // of the server
	first    *admittedToken
	current  atomic.Pointer[admittedToken]
	fresh    *admittedToken // the new token, so that one of a wrong kind is checked once
}

// localToken returns the host.Local of a token that was passed for this run. It checks the file of a token until the
// lifetime ends.
func (p *Provider) localToken(lifetime context.Context, logger *slog.Logger) (host.Local, error) {
	if _, err := p.address(); err != nil {
		return nil, err
	}
	token, err := p.token(lifetime, logger)
	if err != nil {
		return nil, err
	}
	t := &rotatedToken{Provider: p, lifetime: lifetime}
	if t.first, err = t.admit(token); err != nil {
		return nil, err
	}
	if p.AccessTokenFile == "" {
		return t.first, nil
	}
	t.current.Store(t.first)
	t.fresh = t.first
	go t.watch(&Rotation{Secret: "access token", Logger: logger})
	return t, nil
}

func (t *rotatedToken) admit(token rs.Secret) (*admittedToken, error) {
	reader, err := t.client(token)
	if err != nil {
		return nil, err
	}
	return &admittedToken{token, admission.New(t.lifetime, reader, t.SignIn(), nil)}, nil
}

func (t *rotatedToken) watch(rotation *Rotation) {
	_, read := t.Passed()
	ticker := time.NewTicker(CheckInterval)
	defer ticker.Stop()
	for {
		select {
		case <-t.lifetime.Done():
			return
		case <-ticker.C:
			rotation.Check(t.AccessTokenFile, t.current.Load().token, read, t.use)
		}
	}
}

// use makes a token current if the resource server reports it as a client's.
func (t *rotatedToken) use(token rs.Secret) error {
	if t.fresh.token.Reveal() != token.Reveal() {
		fresh, err := t.admit(token)
		if err != nil {
			return err
		}
		t.fresh = fresh
	}
	ctx, cancel := context.WithTimeout(t.lifetime, CheckTimeout)
	defer cancel()
	if err := t.fresh.Wait(ctx); err != nil {
		return err
	}
	t.current.Store(t.fresh)
	return nil
}

// Begin starts the check of the current token.
func (t *rotatedToken) Begin() { t.current.Load().Begin() }

// Environment returns what one call may use.
func (t *rotatedToken) Environment(ctx context.Context) (tool.Env, error) {
	return t.current.Load().Environment(ctx)
}

// Refused is closed when the first token is of a kind that must not be used. Later tokens of such a kind never become
// current.
func (t *rotatedToken) Refused() <-chan struct{} { return t.first.Refused() }

// Settle waits for the check of the current token and returns its refusal, if any.
func (t *rotatedToken) Settle(ctx context.Context) *admission.Refusal {
	return t.current.Load().Settle(ctx)
}
