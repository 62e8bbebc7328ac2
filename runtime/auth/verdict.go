package auth

import (
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// judge turns an answer into a verdict. The lifetime counts from when the question was asked, so that a
// slow answer is not believed for longer.
func (v *Verifier) judge(a *answer, tokenHash string, asked time.Time) *verdict {
	if refusal := v.refuse(a); refusal != nil {
		return &verdict{refusal: refusal, until: asked.Add(negativeLifetime)}
	}
	until := asked.Add(positiveLifetime)
	if !a.expires.IsZero() && a.expires.Before(until) {
		until = a.expires
	}
	return &verdict{until: until, caller: &Caller{
		Kind: a.kind, ClientID: a.clientID, GrantID: a.grantID, PackageID: a.packageID,
		Expires: a.expires, Members: a.members, TokenHash: tokenHash,
	}}
}

// refuse gives the first reason against a token, or nil (R-HOST-4, R-HOST-10, R-PKG-1).
func (v *Verifier) refuse(a *answer) *Refusal {
	switch {
	case !a.active:
		return badToken("The access token is unknown, revoked or expired. Refresh it or sign in again.")
	case !a.expires.IsZero() && !v.clock().Before(a.expires):
		return badToken("The access token is expired. Refresh it or sign in again.")
	case a.kind == rs.KindOwner: // told apart from other unwanted kinds only in what the refusal says
		return forbidden("This server does not accept an owner's token. Sign in to get a token for what was granted.")
	case a.kind != KindClient && a.kind != KindPackage:
		return forbidden("This server accepts tokens of the kinds client and mcp_package only. Sign in to get one.")
	case a.audienceGiven && !v.audiences.admit(a.audience):
		return forbidden("The access token was issued for another resource. Sign in with the resource that error.resource_metadata names.")
	case a.kind == KindClient:
		return nil
	case !a.membersGiven:
		return unsupportedPackage
	case !slices.ContainsFunc(a.members, func(member Member) bool { return member.Active }):
		return revokedPackage
	}
	return nil
}
