package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// verify tries the token and completes its entry.
func (s *signIn) verify(ctx context.Context, issued *issued) error {
	if issued.kind != "" && issued.kind != rs.KindClient {
		return s.refusedKind(issued.kind)
	}
	reader, err := rs.NewClient(rs.Options{
		BaseURL: s.asker.provider, Bearer: issued.Credential.AccessToken, Transport: s.Transport, Timeout: s.RSTimeout,
	})
	if err != nil {
		return &credential.Error{Class: credential.Internal, Message: "the token could not be tried", Cause: err}
	}
	response, err := reader.Get(ctx, schemadoc.Scope{}.Request(false))
	if err != nil {
		return s.untried(ctx, err)
	}
	bearer, err := rs.SchemaBearer(response.Body())
	switch {
	case err != nil:
		return &credential.Error{
			Class: credential.Refused, Message: s.asker.provider + ": " + err.Error() + "; the token was not stored", NextStep: checkProvider, Cause: err,
		}
	case !bearer.IsClient():
		return s.refusedKind(bearer.Kind)
	}
	issued.ProviderURL, issued.AuthorizationServer = s.asker.provider, s.server.Issuer
	issued.CreatedAt = time.Now().UTC().Truncate(time.Millisecond)
	issued.Credential.Label = s.Label
	issued.Credential.GrantID = cmp.Or(issued.Credential.GrantID, bearer.GrantID)
	if issued.Credential.Details == nil {
		if document, err := schemadoc.Read(response); err == nil { // otherwise the approved access stays unknown
			issued.Credential.Details = readDetails(document)
		}
	}
	return nil
}

// refusedKind returns the error of a token that is not stored (R-STDIO-3, R-STDIO-6).
func (s *signIn) refusedKind(kind string) *credential.Error {
	refused := &credential.Error{Class: credential.Refused, NextStep: "ask who runs the provider for scoped grants"}
	switch kind {
	case rs.KindOwner:
		refused.Message = s.server.Issuer + " issued an owner token, which is never used here; it was not stored"
	case rs.KindPackage:
		refused.Message = "the owner approved several connections, so the token is a package token, which is accepted only by the hosted MCP " +
			"server at " + s.asker.provider + "/mcp; it was not stored"
		refused.NextStep = s.again() + " and have one connection approved, and connect again for the next; or name it with --source and --connection"
	default:
		refused.Message = fmt.Sprintf("%s reports a token of kind %q; only scoped client tokens are used here, so it was not stored", s.asker.provider, shown(kind))
	}
	return refused
}

// untried returns the error of an approved token that could not be tried.
func (s *signIn) untried(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var refused *rs.Error
	if errors.As(err, &refused) && refused.MeansPackageToken() {
		return s.refusedKind(rs.KindPackage)
	}
	failure := credential.Misconfigured(
		"the token was issued and not stored, because it could not be tried: "+err.Error(),
		checkProvider, err)
	var unanswered *rs.Failure
	if errors.As(err, &unanswered) && (unanswered.Reason == rs.Unreachable || unanswered.Reason == rs.Timeout) ||
		errors.As(err, &refused) && refused.Status >= http.StatusInternalServerError {
		failure.Class, failure.NextStep = credential.Unreachable, s.again()
	}
	return failure
}
