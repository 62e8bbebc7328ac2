package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
)

func (s *signIn) verify(ctx context.Context, issued *issued) error {
	if issued.kind != "" && issued.kind != rs.KindClient {
		return s.kindError(issued.kind)
	}
	reader, err := rs.NewClient(rs.Options{
		BaseURL: s.requester.provider, Bearer: issued.Credential.AccessToken, Transport: s.Transport, Timeout: s.RSTimeout,
	})
	if err != nil {
		return &credential.Error{Class: credential.Internal, Message: "the token could not be tried", Cause: err}
	}
	response, bearer, err := schemaquery.Admit(ctx, reader)
	if err != nil {
		return s.trialError(ctx, err)
	}
	issued.ProviderURL, issued.AuthorizationServer = s.requester.provider, s.server.Issuer
	issued.CreatedAt = time.Now().UTC().Truncate(time.Millisecond)
	issued.Credential.Label = s.Label
	issued.Credential.GrantID = cmp.Or(issued.Credential.GrantID, bearer.GrantID)
	if issued.Credential.Details == nil {
		if document, err := schemaquery.Read(response); err == nil { // otherwise the approved access stays unknown
			issued.Credential.Details = s.Access.readDetails(document)
		}
	}
	return nil
}

// kindError returns the error of a token that is not stored (R-STDIO-3, R-STDIO-6).
func (s *signIn) kindError(kind string) *credential.Error {
	refused := &credential.Error{Class: credential.Refused, NextStep: "ask the provider's operator for scoped grants"}
	switch kind {
	case rs.KindOwner:
		refused.Message = s.server.Issuer + " issued an owner token, which is never used here; it was not stored"
	case rs.KindPackage:
		refused.Message = "the owner approved several connections, so the token is a package token, which is accepted only by the hosted MCP " +
			"server at " + s.requester.provider + "/mcp; it was not stored"
		refused.NextStep = s.connectStep() + " and have one connection approved, and connect again for the next; or name it with --source and --connection"
	default:
		refused.Message = fmt.Sprintf("%s reports a token of kind %q; only scoped client tokens are used here, so it was not stored", s.requester.provider, printable(kind))
	}
	return refused
}

func (s *signIn) trialError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if other, ok := errors.AsType[*rs.KindError](err); ok {
		if other.Cause == nil {
			return s.kindError(other.Kind)
		}
		return &credential.Error{
			Class: credential.Refused, Message: s.requester.provider + ": " + err.Error() + "; the token was not stored", NextStep: checkProvider, Cause: err,
		}
	}
	failure := credential.Misconfigured("the token was issued and not stored, because it could not be tried: "+err.Error(), checkProvider, err)
	var unanswered *rs.Failure
	var refused *rs.Error
	if errors.As(err, &unanswered) && (unanswered.Reason == rs.Unreachable || unanswered.Reason == rs.Timeout) ||
		errors.As(err, &refused) && refused.Status >= http.StatusInternalServerError {
		failure.Class, failure.NextStep = credential.Unreachable, s.connectStep()
	}
	return failure
}

// Revoke revokes the tokens of a credential at its authorization server (RFC 7009). It returns false if that server is
// unknown or does not revoke tokens. The grant remains until its owner ends it. A nil transport means rs.NewTransport.
// Errors are those of Connect.
func Revoke(ctx context.Context, entry *credential.Entry, transport http.RoundTripper) (bool, error) {
	if entry.AuthorizationServer == "" || entry.Credential.OwnerMember() != "" {
		return false, nil
	}
	requester, err := newRequester(entry.ProviderURL, transport)
	if err != nil {
		return false, err
	}
	server, err := requester.authorizationServer(ctx, entry.AuthorizationServer)
	if err != nil {
		return false, err
	}
	signing := &signIn{requester: requester, server: server}
	return signing.revoke(ctx, entry)
}

// revoke revokes the refresh token first, since it yields new access tokens.
func (s *signIn) revoke(ctx context.Context, entry *credential.Entry) (bool, error) {
	if s.server.Revocation == "" {
		return false, nil
	}
	for _, each := range []struct{ hint, token string }{
		{"refresh_token", entry.Credential.RefreshToken.Reveal()}, {"access_token", entry.Credential.AccessToken.Reveal()},
	} {
		if each.token == "" {
			continue
		}
		form := url.Values{"token": {each.token}, "token_type_hint": {each.hint}}
		if entry.Client.ClientID != "" {
			form.Set("client_id", entry.Client.ClientID)
		}
		answer, err := s.requester.postForm(ctx, s.server.Revocation, form)
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
	failure, ok := errors.AsType[*credential.Error](because)
	if !ok {
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

const maxLifetime = 100 * 365 * 24 * time.Hour // of a token

// granted is a successful response of agent connect or a token endpoint (RFC 6749, section 5.1).
type granted struct {
	Status   string `json:"status"`   // of agent connect; empty with a token
	Interval count  `json:"interval"` // seconds

	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    *count `json:"expires_in"` // seconds; nil: it does not expire
	Scope        string `json:"scope"`
	GrantID      string `json:"grant_id"`
	SubjectID    string `json:"subject_id"`
	PackageID    string `json:"grant_package_id"`
	Grant        struct {
		Client struct {
			ClientID string `json:"client_id"`
		} `json:"client"`
		GrantID string `json:"grant_id"`
		Subject struct {
			ID string `json:"id"`
		} `json:"subject"`
		ExpiresAt time.Time `json:"expires_at"` // null: the grant does not expire
	} `json:"grant"`

	answer    *answer
	isPending bool // the owner has not decided
	isTooFast bool // it was asked too often
}

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
		AccessToken: token, RefreshToken: rs.NewSecret(g.RefreshToken), TokenType: "Bearer", ExpiresAt: g.expiry(),
		GrantID: cmp.Or(g.GrantID, g.Grant.GrantID), Scope: g.Scope, Details: g.details(), SubjectID: cmp.Or(g.SubjectID, g.Grant.Subject.ID),
	}}}
	if kind == "" && g.PackageID != "" && given.Credential.GrantID == "" {
		given.kind = rs.KindPackage
	}
	return given, nil
}

// expiry returns when the token or its grant expires, whichever is first; zero if neither does.
func (g *granted) expiry() time.Time {
	ends := g.Grant.ExpiresAt
	if g.ExpiresIn == nil {
		return ends.UTC().Truncate(time.Millisecond)
	}
	if end := time.Now().Add(seconds(*g.ExpiresIn, maxLifetime)); ends.IsZero() || end.Before(ends) {
		ends = end
	}
	return ends.UTC().Truncate(time.Millisecond)
}

var grantMembers = []string{"source", "access_mode", "purpose_code", "purpose_description", wire.Streams}

// details returns the approved access as the authorization server describes it: the authorization_details of a token
// endpoint or the grant of agent connect. It is nil if the response has neither (capture 868e).
func (g *granted) details() rawjson.Value {
	if details, isArray := rawjson.Elements(g.answer.members.Get("authorization_details")); isArray && len(details) > 0 {
		return rawjson.Array(details)
	}
	grant, _ := rawjson.ParseObject(g.answer.members.Get("grant"))
	if grant.Get(wire.Streams) == nil {
		return nil
	}
	detail := rawjson.Object{rawjson.String("type", dataAccess)}
	for _, name := range grantMembers {
		if value := grant.Get(name); value != nil {
			detail = append(detail, rawjson.Raw(name, value))
		}
	}
	return rawjson.Array([]rawjson.Value{detail.Encode()})
}
