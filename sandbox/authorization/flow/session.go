package flow

import (
	"context"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/luikyv/go-oidc/pkg/goidc"
)

// Seconds that a device must wait between polls, and the increase after a poll that came too soon (RFC 8628, section
// 3.5).
const (
	pollInterval = 2
	slowDownBy   = 5
)

// sessions holds requests that await the owner's decision.
type sessions struct {
	times shiftedTime

	mu    sync.Mutex
	byID  map[string]goidc.AuthnSession
	polls map[string]poll // by device code
}

// poll is the state of a device's polling.
type poll struct {
	last     time.Time
	interval time.Duration
}

func newSessions(times shiftedTime) *sessions {
	return &sessions{times: times, byID: map[string]goidc.AuthnSession{}, polls: map[string]poll{}}
}

// SaveSession stores a copy, and removes sessions that expired long ago.
func (s *sessions) SaveSession(_ context.Context, session *goidc.AuthnSession) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Expired device codes are kept for a while, to distinguish them from unknown ones.
	forgotten := int(s.times.clock().Add(-time.Hour).Unix())
	for id, old := range s.byID {
		if old.ExpiresAt != 0 && old.ExpiresAt < forgotten {
			delete(s.byID, id)
			delete(s.polls, old.DeviceCode)
		}
	}
	stored := s.times.storedSession(session)
	stored.Store = maps.Clone(session.Store)
	s.byID[session.ID] = stored
	return nil
}

// Session returns a session that awaits the owner. A decided one cannot be decided again.
func (s *sessions) Session(_ context.Context, id string) (*goidc.AuthnSession, error) {
	return s.find(func(session goidc.AuthnSession) bool { return session.ID == id && s.waits(session) })
}

// SessionByUserCode returns a session that awaits the owner. Case and separators do not matter (RFC 8628,
// section 6.1).
func (s *sessions) SessionByUserCode(_ context.Context, code string) (*goidc.AuthnSession, error) {
	code = strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(code))
	if code == "" {
		return nil, goidc.ErrNotFound
	}
	return s.find(func(session goidc.AuthnSession) bool { return session.UserCode == code && s.waits(session) })
}

// SessionByDeviceCode returns the session of a polling device. It refuses a device that polls too soon.
func (s *sessions) SessionByDeviceCode(_ context.Context, code string) (*goidc.AuthnSession, error) {
	session, err := s.find(func(session goidc.AuthnSession) bool { return session.DeviceCode == code && code != "" })
	if err != nil {
		return nil, err
	}
	if session.Status != goidc.StatusPending {
		return session, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.times.clock()
	known, again := s.polls[code]
	if !again {
		known.interval = pollInterval * time.Second
	}
	tooSoon := again && now.Sub(known.last) < known.interval
	if tooSoon {
		known.interval += slowDownBy * time.Second
	}
	known.last = now
	s.polls[code] = known
	if tooSoon {
		return nil, goidc.Errorf(goidc.ErrorCodeSlowDown, "Polling too quickly; wait %d seconds",
			int(known.interval.Seconds()))
	}
	return session, nil
}

// interval returns how long the device of a code must wait between polls.
func (s *sessions) interval(deviceCode string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, found := s.polls[deviceCode]; found {
		return known.interval
	}
	return pollInterval * time.Second
}

func (s *sessions) waits(session goidc.AuthnSession) bool {
	return session.Status == goidc.StatusPending && s.times.clock().Unix() < int64(session.ExpiresAt)
}

func (s *sessions) find(wanted func(goidc.AuthnSession) bool) (*goidc.AuthnSession, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.byID {
		if wanted(session) {
			found := s.times.librarySession(session)
			found.Store = maps.Clone(session.Store)
			return found, nil
		}
	}
	return nil, goidc.ErrNotFound
}
