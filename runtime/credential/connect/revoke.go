package connect

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// Revoke revokes the tokens of a credential at its authorization server (RFC 7009). It returns false if that server is unknown or does
// not revoke tokens. The grant remains until its owner ends it. A nil transport means rs.NewTransport. Errors are those of Connect.
func Revoke(ctx context.Context, entry *credential.Entry, transport http.RoundTripper) (bool, error) {
	if entry.AuthorizationServer == "" || entry.Credential.OwnerMark() != "" {
		return false, nil
	}
	asker, err := newAsker(entry.ProviderURL, transport)
	if err != nil {
		return false, err
	}
	server, err := asker.authorizationServer(ctx, entry.AuthorizationServer)
	if err != nil {
		return false, err
	}
	signing := &signIn{asker: asker, server: server}
	return signing.revoke(ctx, entry)
}

// revoke revokes the refresh token first, since it yields new access tokens.
func (s *signIn) revoke(ctx context.Context, entry *credential.Entry) (bool, error) {
	if s.server.Revocation == "" {
		return false, nil
	}
	for _, each := range []struct {
		hint  string
		token string
	}{{"refresh_token", entry.Credential.RefreshToken.Reveal()}, {"access_token", entry.Credential.AccessToken.Reveal()}} {
		if each.token == "" {
			continue
		}
		form := url.Values{"token": {each.token}, "token_type_hint": {each.hint}}
		if entry.Client.ClientID != "" {
			form.Set("client_id", entry.Client.ClientID)
		}
		answer, err := s.asker.postForm(ctx, s.server.Revocation, form)
		if err != nil {
			return false, err
		}
		if !answer.isSuccess() {
			failure := s.failed(answer.refused(each.token))
			failure.NextStep = "ask the provider to revoke the grant"
			return false, failure
		}
	}
	return true, nil
}

// discard revokes a token that is not stored, even if the sign-in was interrupted. It adds the outcome to the error.
func (s *signIn) discard(ctx context.Context, issued *issued, because error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer cancel()
	ended, err := s.revoke(ctx, &issued.Entry)
	var failure *credential.Error
	if !errors.As(because, &failure) {
		return because
	}
	switch {
	case ended:
		failure.Message += ", and was revoked"
	case err != nil:
		failure.Message += ", and could not be revoked: the owner can end it at the provider"
	default:
		failure.Message += "; its owner can end it at the provider"
	}
	return failure
}
