package connect

import (
	"context"
	"net/http"
	"net/url"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Revoke asks the authorization server that issued a credential to end it (RFC 7009). It tells false when that
// server revokes no tokens, or is not known. A nil transport means one of its own. The grant stays: its owner ends
// it at the provider. Errors are those of Connect.
func Revoke(ctx context.Context, entry *credential.Entry, transport http.RoundTripper) (bool, error) {
	if entry.AuthorizationServer == "" || entry.Credential.OwnerMark() != "" {
		return false, nil
	}
	provider, within, err := reachOf(entry.ProviderURL)
	if err != nil {
		return false, err
	}
	if transport == nil {
		transport = rs.NewTransport()
	}
	asker := newAsker(transport, within)
	server, _, err := asker.authorizationServer(ctx, entry.AuthorizationServer)
	if err != nil || server.revocation == "" {
		return false, err
	}
	token := entry.Credential.AccessToken.Reveal()
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}
	if entry.Client.ClientID != "" {
		form.Set("client_id", entry.Client.ClientID)
	}
	answer, err := asker.postForm(ctx, server.revocation, form)
	if err != nil {
		return false, err
	}
	if !answer.isSuccess() {
		signing := &signIn{provider: provider, server: server}
		failure := signing.failed(answer.refused(token))
		failure.NextStep = "ask the provider to revoke the grant"
		return false, failure
	}
	return true, nil
}
