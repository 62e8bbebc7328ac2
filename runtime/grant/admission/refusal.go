// Package admission decides whether a bearer may be used by a server: only a client's, or one whose kind is not stated
// (R-STDIO-3).
package admission

import (
	"context"
	"errors"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

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
