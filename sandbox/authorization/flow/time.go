package flow

import (
	"time"

	"github.com/luikyv/go-oidc/pkg/goidc"
)

// shiftedTime translates between the library, which compares its timestamps with time.Now, and the
// sandbox's clock, which tests move. Stored records have the clock's time.
type shiftedTime struct {
	clock func() time.Time
}

// shift returns how many seconds the clock is ahead.
func (t shiftedTime) shift() int {
	return int(time.Until(t.clock()).Round(time.Second) / time.Second)
}

// storedSession copies a session of the library for the store.
func (t shiftedTime) storedSession(session *goidc.AuthnSession) goidc.AuthnSession {
	return moveSession(*session, t.shift())
}

// librarySession copies a stored session for the library.
func (t shiftedTime) librarySession(session goidc.AuthnSession) *goidc.AuthnSession {
	session = moveSession(session, -t.shift())
	return &session
}

func moveSession(session goidc.AuthnSession, seconds int) goidc.AuthnSession {
	session.ExpiresAt = moved(session.ExpiresAt, seconds)
	return session
}

// storedGrant copies a grant of the library for the store.
func (t shiftedTime) storedGrant(grant *goidc.Grant) goidc.Grant { return moveGrant(*grant, t.shift()) }

// libraryGrant copies a stored grant for the library.
func (t shiftedTime) libraryGrant(grant goidc.Grant) *goidc.Grant {
	grant = moveGrant(grant, -t.shift())
	return &grant
}

func moveGrant(grant goidc.Grant, seconds int) goidc.Grant {
	grant.AuthCodeExpiresAt = moved(grant.AuthCodeExpiresAt, seconds)
	grant.DeviceCodeExpiresAt = moved(grant.DeviceCodeExpiresAt, seconds)
	grant.RefreshTokenExpiresAt = moved(grant.RefreshTokenExpiresAt, seconds)
	return grant
}

// moved shifts a timestamp. Zero stays zero, because it means never.
func moved(timestamp, seconds int) int {
	if timestamp == 0 {
		return 0
	}
	return timestamp + seconds
}
