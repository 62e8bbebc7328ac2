package flow

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/luikyv/go-oidc/pkg/goidc"
)

// approvedKey is the key of the Approved in the store of a session or a grant.
const approvedKey = "pdpp_approved"

// authorizations holds what the library calls grants: one run of a flow after the owner agreed, with its
// code and its refresh token. What the owner granted, and the access tokens, are with the keeper.
type authorizations struct {
	times  shiftedTime
	keeper Keeper

	mu      sync.Mutex
	byID    map[string]goidc.Grant
	retired map[string]string // refresh tokens that were rotated away, to the authorization's id
}

func newAuthorizations(times shiftedTime, keeper Keeper) *authorizations {
	return &authorizations{times: times, keeper: keeper, byID: map[string]goidc.Grant{}, retired: map[string]string{}}
}

// SaveGrant stores a copy. What the owner granted ends when the library revokes the authorization.
func (a *authorizations) SaveGrant(_ context.Context, grant *goidc.Grant) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	before, known := a.byID[grant.ID]
	if known && before.RefreshToken != "" && before.RefreshToken != grant.RefreshToken {
		a.retired[before.RefreshToken] = grant.ID
	}
	a.byID[grant.ID] = a.times.storedGrant(grant)
	if grant.RevokedAt != 0 && before.RevokedAt == 0 {
		return a.keeper.Revoke(approvedBy(grant).id())
	}
	return nil
}

// Grant returns an authorization by its id.
func (a *authorizations) Grant(_ context.Context, id string) (*goidc.Grant, error) {
	return a.find(func(grant goidc.Grant) bool { return grant.ID == id })
}

// GrantByAuthCode returns an authorization by its code. The code of a revoked one is unknown.
func (a *authorizations) GrantByAuthCode(_ context.Context, code string) (*goidc.Grant, error) {
	return a.find(func(grant goidc.Grant) bool { return grant.AuthCode == code && code != "" && grant.RevokedAt == 0 })
}

// GrantByDeviceCode is like GrantByAuthCode.
func (a *authorizations) GrantByDeviceCode(_ context.Context, code string) (*goidc.Grant, error) {
	return a.find(func(grant goidc.Grant) bool { return grant.DeviceCode == code && code != "" && grant.RevokedAt == 0 })
}

// GrantByRefreshToken revokes the whole authorization when a refresh token comes back that was rotated
// away, because one of its two holders has stolen it (RFC 9700, section 4.14.2).
func (a *authorizations) GrantByRefreshToken(ctx context.Context, token string) (*goidc.Grant, error) {
	a.mu.Lock()
	id, reused := a.retired[token]
	a.mu.Unlock()
	if !reused {
		return a.find(func(grant goidc.Grant) bool { return grant.RefreshToken == token && token != "" })
	}
	grant, err := a.Grant(ctx, id)
	if err != nil {
		return nil, err
	}
	if grant.RevokedAt == 0 {
		grant.RevokedAt = int(a.times.clock().Unix())
		if err := a.SaveGrant(ctx, grant); err != nil {
			return nil, err
		}
	}
	return nil, errReused
}

// errReused is a refresh token that comes back after it was rotated away.
var errReused = errors.New("the refresh token was rotated away")

func (a *authorizations) find(wanted func(goidc.Grant) bool) (*goidc.Grant, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, grant := range a.byID {
		if wanted(grant) {
			return a.times.libraryGrant(grant), nil
		}
	}
	return nil, goidc.ErrNotFound
}

// SaveToken hands a new access token to the keeper, or ends one.
func (a *authorizations) SaveToken(ctx context.Context, token *goidc.Token) error {
	if token.RevokedAt != 0 {
		a.keeper.RevokeToken(token.ID)
		return nil
	}
	grant, err := a.Grant(ctx, token.GrantID)
	if err != nil {
		return err
	}
	now := a.times.clock()
	a.keeper.Issue(Issued{
		Token:           token.ID,
		AuthorizationID: token.GrantID,
		ClientID:        token.ClientID,
		Approved:        approvedBy(grant),
		Resources:       token.Resources,
		IssuedAt:        now,
		ExpiresAt:       now.Add(time.Duration(token.LifetimeSecs()) * time.Second),
	})
	return nil
}

// Token returns an access token that SaveToken issued.
func (a *authorizations) Token(_ context.Context, value string) (*goidc.Token, error) {
	issued, found := a.keeper.Issued(value)
	if !found {
		return nil, goidc.ErrNotFound
	}
	shift := a.times.shift()
	token := &goidc.Token{
		ID:        value,
		GrantID:   issued.AuthorizationID,
		ClientID:  issued.ClientID,
		CreatedAt: int(issued.IssuedAt.Unix()) - shift,
		ExpiresAt: int(issued.ExpiresAt.Unix()) - shift,
		Format:    goidc.TokenFormatOpaque,
		Type:      goidc.TokenTypeBearer,
		Resources: issued.Resources,
	}
	if issued.Revoked {
		token.RevokedAt = token.CreatedAt
	}
	return token, nil
}

func approvedBy(grant *goidc.Grant) Approved {
	approved, _ := grant.Store[approvedKey].(Approved) // consent put it there
	return approved
}
