package invocation

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// LookEvery is how often the file of a secret is read. An orchestrator replaces such files by links, which no change of the file
// itself tells.
const LookEvery = 2 * time.Second

// CheckWithin bounds the question whether a new secret is taken.
const CheckWithin = 10 * time.Second

// Rotation puts the secret of a file into effect when it has changed (R-OPS-3). It is used by one goroutine.
type Rotation struct {
	Secret string // what it is, for the log
	Logger *slog.Logger

	refused string // what was said last of a secret that did not change since
}

// Look reads the secret of a file, and uses it if it is another one than in effect. What is wrong with one is said once, and it is
// tried again with the next look; the one in effect stays.
func (r *Rotation) Look(file string, inEffect rs.Secret, read func() (rs.Secret, error), use func(fresh rs.Secret) error) {
	fresh, err := read()
	if err == nil {
		if fresh.Reveal() == inEffect.Reveal() {
			r.refused = ""
			return
		}
		err = use(fresh)
	}
	switch {
	case err == nil:
		r.refused = ""
		r.Logger.Info("the "+r.Secret+" was read again", "file", file)
	case errors.Is(err, context.Canceled): // the server ends; nobody refused it
	case r.refused != err.Error():
		r.refused = err.Error()
		r.Logger.Error("the new "+r.Secret+" is refused; the one before stays", "file", file, "error", err)
	}
}

// IsRefused reports whether the secret that was read last is not in effect.
func (r *Rotation) IsRefused() bool { return r.refused != "" }

// rotatedToken is host.Local with the token of a file. A call reads with the token that was in effect when it began, and with no
// other one. Another token comes into effect once the resource server has reported it as a client's.
type rotatedToken struct {
	lifetime context.Context //nolint:containedctx // of the server
	provider *Provider
	address  string
	first    *host.Admission
	current  atomic.Pointer[host.Admission]

	inEffect rs.Secret
	tried    rs.Secret       // the last one that was new, so that one of another kind is asked about once
	trial    *host.Admission // of it
}

var _ host.Local = (*rotatedToken)(nil)

// newRotatedToken makes it with the token that the file holds now. It looks at the file until the lifetime ends.
func newRotatedToken(lifetime context.Context, p *Provider, address string, token rs.Secret, logger *slog.Logger) (*rotatedToken, error) {
	t := &rotatedToken{lifetime: lifetime, provider: p, address: address, inEffect: token}
	var err error
	if t.first, err = t.admission(token); err != nil {
		return nil, err
	}
	t.current.Store(t.first)
	go t.look(&Rotation{Secret: "access token", Logger: logger})
	return t, nil
}

func (t *rotatedToken) admission(token rs.Secret) (*host.Admission, error) {
	reader, err := t.provider.client(t.address, token)
	if err != nil {
		return nil, err
	}
	return host.NewAdmission(t.lifetime, reader, t.provider.SignIn(), nil), nil
}

// look looks at the file from time to time.
func (t *rotatedToken) look(rotation *Rotation) {
	_, read := t.provider.Passed()
	looks := time.NewTicker(LookEvery)
	defer looks.Stop()
	for {
		select {
		case <-t.lifetime.Done():
			return
		case <-looks.C:
			rotation.Look(t.provider.AccessTokenFile, t.inEffect, read, t.use)
		}
	}
}

// use puts a token into effect if the resource server reports it as a client's.
func (t *rotatedToken) use(fresh rs.Secret) error {
	if t.tried.Reveal() != fresh.Reveal() {
		trial, err := t.admission(fresh)
		if err != nil {
			return err
		}
		t.tried, t.trial = fresh, trial
	}
	ctx, cancel := context.WithTimeout(t.lifetime, CheckWithin)
	defer cancel()
	if err := t.trial.Wait(ctx); err != nil {
		return err
	}
	t.inEffect = fresh
	t.current.Store(t.trial)
	return nil
}

// Begin asks of what kind the token is.
func (t *rotatedToken) Begin() { t.current.Load().Begin() }

// Environment gives what one call may use: the token in effect.
func (t *rotatedToken) Environment(ctx context.Context) (tool.Env, error) {
	return t.current.Load().Environment(ctx)
}

// Refused is closed when the first token is of a kind that must not be used. A later one of such a kind is not put into effect.
func (t *rotatedToken) Refused() <-chan struct{} { return t.first.Refused() }

// Settle waits for what was asked about the token in effect, and gives the refusal if there is one.
func (t *rotatedToken) Settle(ctx context.Context) *host.Refusal { return t.current.Load().Settle(ctx) }
