package connect

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// How polling behaves. The default interval and the step of slow_down are those of RFC 8628, sections 3.2 and 3.5.
const (
	defaultInterval = 5 * time.Second
	slowDownStep    = 5 * time.Second
	maxInterval     = 5 * time.Minute
	defaultExpiry   = 5 * time.Minute
	maxExpiry       = 24 * time.Hour
	maxLifetime     = 100 * 365 * 24 * time.Hour // of a token

	maxFailures = 5 // consecutive polls without a response
)

// waiting is the pace of polling. The interval never gets shorter.
type waiting struct {
	interval  time.Duration
	expiresAt time.Time
	failures  int // consecutive
}

// newWaiting takes the interval and the expiry of a response, in seconds. Missing or invalid values get defaults.
func newWaiting(sentAt time.Time, interval, expiresIn int64) *waiting {
	w := &waiting{interval: defaultInterval, expiresAt: sentAt.Add(defaultExpiry)}
	if interval > 0 {
		w.interval = seconds(interval, maxInterval)
	}
	if expiresIn > 0 {
		w.expiresAt = sentAt.Add(seconds(expiresIn, maxExpiry))
	}
	return w
}

func seconds(count int64, limit time.Duration) time.Duration {
	if count > int64(limit/time.Second) {
		return limit
	}
	return time.Duration(count) * time.Second
}

// pause waits for the next poll. It returns ErrExpired if the request expires before.
func (w *waiting) pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(w.expiresAt)):
		return ErrExpired
	case <-time.After(w.interval << w.failures): // failures back off (RFC 8628, section 3.5)
		return nil
	}
}

// failed counts a poll without a response, and reports whether to continue.
func (w *waiting) failed(err error) bool {
	var failure *credential.Error
	w.failures++
	return errors.As(err, &failure) && failure.Class == credential.Unreachable && w.failures < maxFailures
}

// lengthen lengthens the interval if the server requests it, by slow_down or a number of seconds.
func (w *waiting) lengthen(slowDown bool, interval int64) {
	wanted := seconds(interval, maxInterval)
	if slowDown {
		wanted = max(wanted, w.interval+slowDownStep)
	}
	w.interval = min(max(w.interval, wanted), maxInterval)
}

// granted is a successful response of agent connect or a token endpoint (RFC 6749, section 5.1).
type granted struct {
	Status   string `json:"status"`   // of agent connect; empty with a token
	Interval int64  `json:"interval"` // seconds

	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"` // seconds; 0: it does not expire
	Scope        string `json:"scope"`
	GrantID      string `json:"grant_id"`
	PackageID    string `json:"grant_package_id"`
	Grant        struct {
		Client struct {
			ClientID string `json:"client_id"`
		} `json:"client"`
		GrantID   string    `json:"grant_id"`
		ExpiresAt time.Time `json:"expires_at"` // null: the grant does not expire
	} `json:"grant"`

	answer *answer
}

// poll asks until the owner has decided, no faster than the interval. It removes the sent code from error descriptions.
func (s *signIn) poll(ctx context.Context, waiting *waiting, code string, ask func() (*answer, error)) (*granted, error) {
	for {
		switch err := waiting.pause(ctx); {
		case errors.Is(err, ErrExpired):
			return nil, s.expiredError(err)
		case err != nil:
			return nil, err
		}
		answer, err := ask()
		if err != nil {
			if waiting.failed(err) {
				continue
			}
			return nil, err
		}
		waiting.failures = 0
		granted, err := s.decision(answer, waiting, code)
		if granted != nil || err != nil {
			return granted, err
		}
	}
}

// decision returns neither a token nor an error while the request is pending. An unknown successful response counts as a token and is
// later refused for having none.
func (s *signIn) decision(answer *answer, waiting *waiting, code string) (*granted, error) {
	refused := answer.refused(code)
	isPending := refused.code == codePending || refused.code == codeSlowDown
	switch {
	case isPending, refused.code == "" && answer.isSuccess():
	case refused.code == "" && answer.status == http.StatusTooManyRequests:
		waiting.lengthen(true, 0)
		return nil, nil
	case refused.code == "" && answer.status == http.StatusGone:
		return nil, s.expiredError(refused)
	default:
		return nil, s.failed(refused)
	}
	given := granted{answer: answer}
	if err := answer.decode(&given); err != nil {
		return nil, err
	}
	switch {
	case isPending:
		waiting.lengthen(refused.code == codeSlowDown, given.Interval)
		return nil, nil
	case given.AccessToken != "":
	case given.Status == "denied":
		refused.code = codeDenied
		return nil, s.failed(refused)
	case given.Status == "expired":
		return nil, s.expiredError(refused)
	case given.Status == "pending" || answer.status == http.StatusAccepted:
		waiting.lengthen(false, given.Interval)
		return nil, nil
	}
	return &given, nil
}

// issued returns the token if it is a bearer token.
func (g *granted) issued(client credential.Client) (*issued, error) {
	kind, _, err := rs.TokenKind(g.answer.members.Get)
	if err != nil {
		return nil, protocolError(g.answer.url, "issued an unusable token: "+err.Error(), err)
	}
	if g.TokenType != "" && !strings.EqualFold(g.TokenType, "Bearer") {
		return nil, protocolError(g.answer.url, "issued a token of a type other than Bearer", nil)
	}
	token, err := rs.NewBearer(g.AccessToken)
	if err != nil {
		return nil, protocolError(g.answer.url, "issued a token that "+err.Error(), err)
	}
	client.ClientID = cmp.Or(client.ClientID, g.Grant.Client.ClientID) // the server may have registered the client
	given := &issued{kind: kind, Entry: credential.Entry{Scope: g.Scope, Client: client, Credential: credential.Credential{
		AccessToken: token, TokenType: "Bearer", ExpiresAt: g.expiry(), GrantID: cmp.Or(g.GrantID, g.Grant.GrantID), Scope: g.Scope, Details: g.details(),
	}}}
	if kind == "" && g.PackageID != "" && given.Credential.GrantID == "" {
		given.kind = rs.KindPackage
	}
	if g.RefreshToken != "" {
		given.Credential.RefreshToken = rs.NewSecret(g.RefreshToken)
	}
	return given, nil
}

// expiry returns when the token or its grant expires, whichever is first; zero if neither does.
func (g *granted) expiry() time.Time {
	ends := g.Grant.ExpiresAt
	if g.ExpiresIn > 0 {
		end := time.Now().Add(seconds(g.ExpiresIn, maxLifetime))
		if ends.IsZero() || end.Before(ends) {
			ends = end
		}
	}
	return ends.UTC().Truncate(time.Millisecond)
}
